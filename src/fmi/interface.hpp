// Functions that a shared library shows to the programs that load it.
#pragma once

#if defined(_WIN32)
#define STICKSLIP_FMI extern "C" __declspec(dllexport)
#else
#define STICKSLIP_FMI extern "C" __attribute__((visibility("default")))
#endif
