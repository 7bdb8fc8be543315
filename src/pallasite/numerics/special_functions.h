// Special functions of real numbers in f64, one value at a time. At poles, outside their domains
// and at infinity they give what XLA's CPU backend gives.
#pragma once

namespace pallasite::special {

double lgamma(double x);
double digamma(double x);

// Hurwitz zeta: the sum of (q + k)^-s over k >= 0. NaN for s < 1.
double zeta(double s, double q);

// Derivative `order` of digamma; NaN unless `order` is a whole number from 0 on.
double polygamma(double order, double x);

// Regularised incomplete gamma functions, lower and upper.
double igamma(double a, double x);
double igammac(double a, double x);

// Derivative of igamma by a.
double igamma_grad_a(double a, double x);

// Derivative by a of a sample x of the gamma distribution: -igamma_grad_a / density.
double random_gamma_grad(double a, double x);

double regularized_incomplete_beta(double a, double b, double x);

double erf_inv(double x);

// Modified Bessel functions times exp(-|x|).
double bessel_i0e(double x);
double bessel_i1e(double x);

}  // namespace pallasite::special
