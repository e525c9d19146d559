#pragma once
// OpenSSL's function-like macros and variadic functions, which Swift cannot import. These wrappers contain no logic.
#include <stdlib.h>

// Call this before anything else in libssl. It loads no configuration file, so that a session depends on its arguments
// alone, and does no clean-up at exit, which would free memory that other threads still use.
static inline int COpenSSL_initialise(void) {
    return OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT, NULL);
}

static inline void COpenSSL_forbid_renegotiation(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
}

static inline int COpenSSL_set_versions(SSL_CTX *context, int lowest, int highest) {
    return SSL_CTX_set_min_proto_version(context, lowest)
        && SSL_CTX_set_max_proto_version(context, highest);
}

// Makes idle connections release their record buffers.
static inline void COpenSSL_release_idle_buffers(SSL_CTX *context) {
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE
        | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

static inline void COpenSSL_set_session_cache_mode(SSL_CTX *context, long mode) {
    SSL_CTX_set_session_cache_mode(context, mode);
}

static inline int COpenSSL_add_chain_certificate(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}

static inline int COpenSSL_set_server_name(SSL *session, const char *name) {
    return (int)SSL_set_tlsext_host_name(session, name);
}

static inline void COpenSSL_ask_for_retry(BIO *bio) { BIO_set_retry_read(bio); }

static inline void COpenSSL_clear_retry(BIO *bio) { BIO_clear_retry_flags(bio); }

static inline long COpenSSL_memory(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }

static inline EVP_PKEY *COpenSSL_make_p256_key(void) { return EVP_EC_gen("P-256"); }

// Whether the user chose the trusted certificates.
static inline int COpenSSL_trust_is_chosen(void) {
    return getenv(X509_get_default_cert_file_env()) != NULL || getenv(X509_get_default_cert_dir_env()) != NULL;
}
