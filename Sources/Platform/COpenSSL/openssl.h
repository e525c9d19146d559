#pragma once
// Digests come from functions that work without providers: the first use of a provider costs a millisecond, a fifth of
// the server's startup time. OpenSSL 3 deprecates these functions, but keeps them.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include "shims.h"
