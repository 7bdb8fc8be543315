// Polynomials of the vector functions, lowest power first. Written by tools/fit_vector_math.py.
#pragma once

namespace pallasite::vector_math {

// (2^r - 1) / r for |r| <= 1/2; relative error 2^-31.8.
inline constexpr double kExp2[] = {
    0x1.62e42fefa39efp-1,  0x1.ebfbe045f4d3cp-3,  0x1.c6b08d883dca1p-5, 0x1.3b2a1b7152befp-7,
    0x1.5d879ead06a82p-10, 0x1.443fffc90db59p-13, 0x1.00a581594758ep-16};

// the same to the last bits of f64; relative error 2^-54.3.
inline constexpr double kExp2Precise[] = {
    0x1.62e42fefa39efp-1,  0x1.ebfbdff82c58fp-3,  0x1.c6b08d704a0c0p-5,  0x1.3b2ab6fba4e7bp-7,
    0x1.5d87fe78a6732p-10, 0x1.430912f86ac5bp-13, 0x1.ffcbfc5889cb0p-17, 0x1.62c022460176ep-20,
    0x1.b5253d41fa178p-24, 0x1.e4cf03bac04a7p-28, 0x1.e8ca8dd465e8bp-32, 0x1.c4b5b04b1e8f9p-36,
    0x1.8219217906555p-40};

// log(1 + f) / f for 1 + f from sqrt(1/2) to sqrt(2); relative error 2^-35.6.
inline constexpr double kLog[] = {
    0x1.ffffffffe46f8p-1, -0x1.0000000316962p-1, 0x1.555555f2addd8p-2, -0x1.fffff63d83a30p-3,
    0x1.99990376c9a04p-3, -0x1.555735b4ac2f0p-3, 0x1.24ad02d454cb9p-3, -0x1.ffd022cb384b9p-4,
    0x1.c2cead04c4cb8p-4, -0x1.97635437b23e7p-4, 0x1.9b8894e04b194p-4, -0x1.9196cbb795019p-4,
    0x1.acec8a6e9ee43p-5};

// atanh(s) / s by s * s, for s = f / (2 + f) and f as above; relative error 2^-60.7.
inline constexpr double kLogPrecise[] = {
    0x1.0000000000000p+0, 0x1.5555555555555p-2, 0x1.999999999998cp-3, 0x1.2492492493c37p-3,
    0x1.c71c71c491254p-4, 0x1.745d18877cbdfp-4, 0x1.3b1350aad03e4p-4, 0x1.1122f5c327021p-4,
    0x1.dde556accb73ep-5, 0x1.ed493fc12bd93p-5};

// (sin(r) / r - 1) / r^2 by r * r, for |r| <= pi/4; relative error 2^-32.4.
inline constexpr double kSin[] = {-0x1.555555545e0a2p-3, 0x1.11110def2c9ebp-7,
                                  -0x1.a013a791b5cd9p-13, 0x1.6dbe079170bd2p-19};

// (cos(r) - 1) / r^2 by r * r, for |r| <= pi/4; relative error 2^-40.3.
inline constexpr double kCos[] = {-0x1.fffffffffe697p-2, 0x1.555555514f74bp-5,
                                  -0x1.6c16bae5ec51fp-10, 0x1.a01298d60cb2bp-16,
                                  -0x1.2474e11e2fbd8p-22};

// atan(z) / z by z * z, for |z| <= 1; relative error 2^-36.4.
inline constexpr double kAtan[] = {
    0x1.ffffffffe73c2p-1, -0x1.55555513c30a5p-2, 0x1.99997c85fb1a4p-3, -0x1.248fb9403e0cfp-3,
    0x1.c6df94c4732acp-4, -0x1.72a7852a1bb8cp-4, 0x1.330185be386aep-4, -0x1.ed569cab9c1b6p-5,
    0x1.658d8847a48c6p-5, -0x1.aa150d8e51b33p-6, 0x1.7675ef99379b4p-7, -0x1.a2d4adcfc1d68p-9,
    0x1.b7979f2e1b044p-12};

// erf(x) / x by x * x - 8, for |x| <= 4; relative error 2^-31.3.
inline constexpr double kErf[] = {
    0x1.6a040781a499cp-2,  -0x1.69a0cd301b91ep-6,  0x1.0dabaf245a337p-9,  -0x1.b92e6d963dfaap-13,
    0x1.717eee4e076f7p-16, -0x1.3218984cd195ap-19, 0x1.ea99e1ae9780fp-23, -0x1.76bcc6dec6fadp-26,
    0x1.0ec5c6e1688d8p-29, -0x1.71aa3a7454ee2p-33, 0x1.d73ce53e159ffp-37, -0x1.12ba7628ceb60p-40,
    0x1.38ee4f02d9147p-44, -0x1.7d61c3299c579p-48, 0x1.71a9bd2a54af3p-52, -0x1.555506765c526p-57,
    0x1.6b49f96c0d06fp-61, -0x1.026466e217773p-63, 0x1.8a6caab470c6fp-68};

// exp(x * x) * erfc(x) by (x - 3) / (x + 3), for 0 <= x <= 10.5; relative error 2^-37.8.
inline constexpr double kErfcx[] = {
    0x1.6e9827d2272d2p-3,   -0x1.4e102b9d01f2fp-2, 0x1.f6ff204323110p-3,  -0x1.336ffbe9bcc34p-3,
    0x1.258b13263a7d3p-4,   -0x1.8fa592c1f71d6p-6, 0x1.17c89e99a0428p-8,  0x1.731609941a9a4p-11,
    -0x1.3918c3b705961p-11, 0x1.796ca86a0755fp-15, 0x1.0dc0be0769772p-14, -0x1.956ae0e9504dep-17,
    -0x1.0c5c6e33277aep-17, 0x1.300d61c3cecbbp-20, 0x1.94cf1929a93b9p-21};

// erf_inv(x) / x by w - 2.5, for w = -log(1 - x * x) <= 5; relative error 2^-33.9.
inline constexpr double kErfInvCenter[] = {
    0x1.805c5cfcedef5p+0,  0x1.f91e89955a57fp-3,   -0x1.11c3c3612a2ccp-8,  -0x1.4863d1009b540p-10,
    0x1.c9b46cd91df7ap-13, -0x1.4f4496f9c1788p-18, -0x1.caa32f746fad4p-19, 0x1.00f8719914c4ap-21,
    0x1.d66fac2d14be4p-27, -0x1.74f4495a187ccp-27, 0x1.c9c81e3c5b325p-31,  0x1.0e8b1b9516a51p-33,
    -0x1.75045e36fd876p-36};

// the same by sqrt(w) - 3.25, for w from 5 to 18; relative error 2^-35.4.
inline constexpr double kErfInvTail[] = {
    0x1.8abcc380d70d6p+1,  0x1.0158a6d7d30cbp+0,   0x1.5ffcfbff097cbp-8,   -0x1.ebae1d5cc0f3bp-9,
    0x1.468f6be7cdeb0p-9,  -0x1.ba8904df84299p-10, 0x1.f3b9ebba3d327p-11,  -0x1.74f015f91605ep-12,
    0x1.9d1aaa5fd4b21p-16, 0x1.245d3445e862fp-14,  -0x1.98366ba6dbcd1p-15, 0x1.6b390579ca208p-17,
    0x1.33aa166527269p-18, -0x1.aa4af6283e41ep-19, 0x1.dd25238ce57ddp-22};

// I0(x) * exp(-x) by x - 4, for 0 <= x <= 8; relative error 2^-33.5.
inline constexpr double kBesselI0Center[] = {
    0x1.a7f09f8eedf5ap-3,  -0x1.cedd9fecf8fbbp-6,  0x1.8322d1d0c050bp-8,  -0x1.6cb8d785a3194p-10,
    0x1.65c238019a72dp-12, -0x1.5c01fee765e4cp-14, 0x1.44b5e8d55e892p-16, -0x1.1cdcce3bcf458p-18,
    0x1.d121ce1440ea0p-21, -0x1.5fe7e263cdcf5p-23, 0x1.ee46f6952b48fp-26, -0x1.43ffd5ff124edp-28,
    0x1.88ed76045e53cp-31, -0x1.b0ed39ce4647dp-34, 0x1.d1e343286784ap-37, -0x1.0c31074983c47p-39,
    0x1.ea54bb4b2e548p-43, -0x1.b0c67395c476cp-47, 0x1.aed60759e69f6p-50, -0x1.1d0b88095d9cfp-51,
    0x1.9c8cd4d675d77p-55};

// I0(x) * exp(-x) * sqrt(x) by 1 / x, for x >= 8; relative error 2^-34.5.
inline constexpr double kBesselI0Tail[] = {
    0x1.9884533d6a692p-2, 0x1.98844ba78cb03p-5,  0x1.cba423fc494d9p-6, 0x1.d8e429bfa941bp-6,
    0x1.fbe79148ba14ap-5, -0x1.7e095ae8c56a3p-2, 0x1.dc6a1f4b3d709p+2, -0x1.fbde92b678fc1p+5,
    0x1.2c17177c7c34ap+8, -0x1.0549af0deb682p+9};

// I1(x) * exp(-x) / x by x - 4, for 0 <= x <= 8; relative error 2^-33.5.
inline constexpr double kBesselI1Center[] = {
    0x1.6e14eb8e5d319p-5,  -0x1.f4bb07150653fp-7,  0x1.16c390dcd2a62p-8,  -0x1.188138673b9b2p-10,
    0x1.0530f8577cac3p-12, -0x1.c4da838f27492p-15, 0x1.6df953dd5c42cp-17, -0x1.13d73d8a1f45cp-19,
    0x1.84132d986165fp-22, -0x1.fe21bf26cea35p-25, 0x1.3a0336acfdc18p-27, -0x1.6b6ada64ac626p-30,
    0x1.8a6bb7623bec7p-33, -0x1.8dbb780dcc2a4p-36, 0x1.82b621dd073c6p-39, -0x1.82582b65acc32p-42,
    0x1.499365e7c763ap-45, -0x1.5606edfb6979cp-49, 0x1.2746446a9eb57p-52, -0x1.24d77462775fdp-54,
    0x1.91966efe1628ap-58};

// I1(x) * exp(-x) * sqrt(x) by 1 / x, for x >= 8; relative error 2^-34.3.
inline constexpr double kBesselI1Tail[] = {
    0x1.9884533d1a5dep-2,  -0x1.32633c6f84b92p-3, -0x1.7f04153fb4d90p-5, -0x1.4c0b530b1c209p-5,
    -0x1.35d0ccfb204bep-4, 0x1.8042e379be2b3p-2,  -0x1.f45651d641911p+2, 0x1.088d008004e82p+6,
    -0x1.37c1c1f8582fap+8, 0x1.0c324b2b14e6cp+9};

}  // namespace pallasite::vector_math
