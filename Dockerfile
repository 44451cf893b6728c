# One static program on an empty file system. It writes only to /data, so the container may be read-only:
#
#   docker build --build-arg VERSION=$(git describe --tags --always) -t homeward .
#   docker run --read-only -p 8080:8080 -v homeward-data:/data homeward

FROM golang:1.26-bookworm AS build
WORKDIR /src
# Dependencies are a separate layer, which is cached until go.mod changes.
COPY go.mod go.sum ./
RUN go mod download
COPY cmd cmd
COPY internal internal
COPY docs docs
ARG VERSION=development
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -o /out/homeward \
      -ldflags "-s -w -X homeward/internal/app.stamped=${VERSION}" ./cmd/homeward && mkdir /out/data

FROM scratch
# Root certificates for webhooks, payments, carriers and e-mail. The program contains the time zones.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/homeward /homeward
COPY --from=build --chown=65532:65532 /out/data /data
ENV HOMEWARD_LISTEN=0.0.0.0:8080 HOMEWARD_DATA=/data HOMEWARD_LOG=json
# A numeric id, because there is no /etc/passwd.
USER 65532:65532
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=10s --start-period=60s --retries=3 CMD ["/homeward", "health"]
ENTRYPOINT ["/homeward"]
CMD ["serve"]
