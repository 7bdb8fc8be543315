// Polynomials of the vector functions, lowest power first. Written by tools/fit_vector_math.py.
#pragma once

namespace pallasite::vector_math_float {

// (exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2, by the error of exp(r) - 1; relative error 2^-26.1.
inline constexpr float kExp[] = {0x1.fffffe0000000p-2f, 0x1.5554b20000000p-3f,
                                 0x1.5557020000000p-5f, 0x1.1226a60000000p-7f,
                                 0x1.6b8cb40000000p-10f};

// (exp(r) - 1 - r) / r^2 for |r| <= ln(2), by the error of exp(r); relative error 2^-26.0.
inline constexpr float kExpWide[] = {0x1.00000c0000000p-1f,  0x1.5555120000000p-3f,
                                     0x1.5549e40000000p-5f,  0x1.11276e0000000p-7f,
                                     0x1.71c2ee0000000p-10f, 0x1.9b89620000000p-13f};

// ((1 - exp(-2 * r)) / 2 - r) / r^2 for |r| <= ln(2) / 4, by the error of 1 - exp(-2 * r); relative
// error 2^-26.1.
inline constexpr float kExpTwice[] = {-0x1.fffffe0000000p-1f, 0x1.5554b20000000p-1f,
                                      -0x1.5557020000000p-2f, 0x1.1226a60000000p-3f,
                                      -0x1.6b8cb40000000p-5f};

// (2^r - 1) / r for |r| <= 1, by the error of 2^r; relative error 2^-26.2.
inline constexpr float kExp2[] = {
    0x1.62e4320000000p-1f,  0x1.ebfbf80000000p-3f,  0x1.c6af9c0000000p-5f, 0x1.3b1ff00000000p-7f,
    0x1.5dbec00000000p-10f, 0x1.481b100000000p-13f, 0x1.f48a2a0000000p-17f};

// (log(1 + f) - f + f^2 / 2) / f^3 for 1 + f from sqrt(1/2) to sqrt(2); relative error 2^-23.8.
inline constexpr float kLog[] = {
    0x1.5555540000000p-2f,  -0x1.fffffc0000000p-3f, 0x1.999d5a0000000p-3f,
    -0x1.555b4a0000000p-3f, 0x1.23d21a0000000p-3f,  -0x1.fcf4c60000000p-4f,
    0x1.dea2820000000p-4f,  -0x1.d635bc0000000p-4f, 0x1.1d8ea60000000p-4f};

// (atan(z) / z - 1) / z^2 by z * z, for |z| <= 1; relative error 2^-24.3.
inline constexpr float kAtan[] = {
    -0x1.5555540000000p-2f, 0x1.99983c0000000p-3f,  -0x1.246cd20000000p-3f,
    0x1.c3f1680000000p-4f,  -0x1.6295f80000000p-4f, 0x1.0001c60000000p-4f,
    -0x1.25dc120000000p-5f, 0x1.ba9f660000000p-7f,  -0x1.38de560000000p-9f};

// erf(x) / x - 1 by x * x - 0.75, for |x| <= 1.46, by the error of erf(x); relative error 2^-26.5.
inline constexpr float kErfCenter[] = {-0x1.9a0bae0000000p-4f, -0x1.f4eaca0000000p-3f,
                                       0x1.1219520000000p-4f,  -0x1.efcd2c0000000p-7f,
                                       0x1.754ad20000000p-9f,  -0x1.df6e700000000p-12f,
                                       0x1.07b7f80000000p-14f, -0x1.8fb45a0000000p-18f};

// erf(x) by x - 2.69, for x from 1.46 to 3.92; the end, which is to be rounded to 1, counts four
// times; relative error 2^-24.5.
inline constexpr float kErfTail[] = {
    0x1.ffed5c0000000p-1f,  0x1.a9f47c0000000p-11f,  -0x1.1eb60e0000000p-9f, 0x1.de8b060000000p-9f,
    -0x1.110cc00000000p-8f, 0x1.bca13a0000000p-9f,   -0x1.0278fe0000000p-9f, 0x1.6f2bd40000000p-11f,
    0x1.72e7a80000000p-19f, -0x1.15ae060000000p-13f, 0x1.5c15c80000000p-15f};

// (sin(r) / r - 1) / r^2 by r * r, for |r| <= pi / 4, by the error of sin(r); relative error
// 2^-27.8.
inline constexpr float kSin[] = {-0x1.5555440000000p-3f, 0x1.1106c20000000p-7f,
                                 -0x1.9919e20000000p-13f};

// (cos(r) - 1) / r^2 by r * r, for |r| <= pi / 4, by the error of cos(r); relative error 2^-24.5.
inline constexpr float kCos[] = {-0x1.ffffac0000000p-2f, 0x1.553d380000000p-5f,
                                 -0x1.64170e0000000p-10f};

// (1 / sqrt(1 - e) - 1) / e for |e| <= 0.0682, by the error of 1 / sqrt(1 - e); relative error
// 2^-25.4.
inline constexpr float kRsqrt[] = {0x1.ffff900000000p-2f, 0x1.7fff7e0000000p-2f,
                                   0x1.41782c0000000p-2f, 0x1.1977c60000000p-2f};

}  // namespace pallasite::vector_math_float
