# The same image as scripts/image makes: docker build -t fitiq-mock . && docker run -p 8080:8080 fitiq-mock
FROM swift:6.3-bookworm AS build
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends libssl-dev libsqlite3-dev libyaml-dev zlib1g-dev pkg-config
WORKDIR /source
COPY . .
RUN bash -c 'source scripts/install-dependencies && build_release . fitiq-mock && \
    strip -R .swift_modhash .build/release/fitiq-mock'

FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /source/.build/release/fitiq-mock /usr/local/bin/fitiq-mock
EXPOSE 8080 8443
HEALTHCHECK --interval=10s --timeout=6s CMD ["/usr/local/bin/fitiq-mock", "health"]
ENTRYPOINT ["/usr/local/bin/fitiq-mock"]
CMD ["serve", "--host", "0.0.0.0"]
