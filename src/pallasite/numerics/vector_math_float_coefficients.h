// Polynomials of the vector functions, lowest power first. Written by tools/fit_vector_math.py.
#pragma once

namespace pallasite::vector_math_float {

// (exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2; relative error 2^-22.8.
inline constexpr float kExp[] = {0x1.0000000000000p-1f, 0x1.5554dc0000000p-3f,
                                 0x1.55551a0000000p-5f, 0x1.120bbc0000000p-7f,
                                 0x1.6d11560000000p-10f};

// (2^r - 1) / r for |r| <= 1/2; relative error 2^-26.3.
inline constexpr float kExp2[] = {0x1.62e4300000000p-1f,  0x1.ebfbe00000000p-3f,
                                  0x1.c6af6c0000000p-5f,  0x1.3b2a540000000p-7f,
                                  0x1.5f08900000000p-10f, 0x1.44138a0000000p-13f};

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

// (tanh(x) / x - 1) / x^2 by x * x, for |x| <= 0.55; relative error 2^-24.6.
inline constexpr float kTanh[] = {-0x1.5555540000000p-2f, 0x1.110fea0000000p-3f,
                                  -0x1.b9a0440000000p-5f, 0x1.5d220e0000000p-6f,
                                  -0x1.b135380000000p-8f};

// erf(x) / x - 1 by x * x, for |x| <= 1; relative error 2^-25.4.
inline constexpr float kErfCenter[] = {0x1.06eba80000000p-3f,  -0x1.8127460000000p-2f,
                                       0x1.ce2f080000000p-4f,  -0x1.b829c80000000p-6f,
                                       0x1.562a600000000p-8f,  -0x1.bccf660000000p-11f,
                                       0x1.d887500000000p-14f, -0x1.445f480000000p-17f};

// log(1 - erf(x)) by x - 2.5, for x from 1 to 4; relative error 2^-27.7.
inline constexpr float kErfTail[] = {-0x1.f3a2dc0000000p+2f, -0x1.5692520000000p+2f,
                                     -0x1.e346080000000p-1f, -0x1.63cc740000000p-7f,
                                     0x1.1bcb0c0000000p-9f,  -0x1.b93b660000000p-12f,
                                     0x1.44964e0000000p-14f, -0x1.b1b6e20000000p-17f,
                                     0x1.b1ade40000000p-20f, -0x1.45ac780000000p-24f};

}  // namespace pallasite::vector_math_float
