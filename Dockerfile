# In production, pin both images to a digest.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
# Without scripts: the only one that matters here is the build, and its sources are not copied yet.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund
COPY build.js ./
COPY scripts ./scripts
COPY bin ./bin
COPY drizzle ./drizzle
COPY src ./src
COPY test/conformance ./test/conformance
# The same package as everywhere else.
RUN npm run --silent package \
    && npm install --global --prefix installed --no-audit --no-fund ./pet-store-*.tgz \
    && find installed -name '*.map' -delete

FROM node:24-bookworm-slim
COPY --from=build /build/installed /opt/pet-store
# Only the embedded database writes: mount a volume here, or set DATABASE_URL. OpenShift runs the image as any user, whose group is 0.
RUN install --directory --owner=1000 --group=0 --mode=775 /data
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000 DATA_DIR=/data PATH=/opt/pet-store/bin:$PATH
# As a number: under runAsNonRoot, Kubernetes refuses a name.
USER 1000:1000
EXPOSE 4000
# Whether the process is alive, not whether it can serve: an unreachable database is no reason to replace the server. An IPv6 address is in
# brackets.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --start-interval=1s --retries=3 \
    CMD ["node", "-e", "const { HOST, PORT } = process.env; fetch(`http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["petstore"]
CMD ["serve"]
