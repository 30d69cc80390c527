# Builds with development packages, runs without them.
FROM node:22.23.3-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY contract/package.json contract/
COPY mcp/package.json mcp/
COPY web/package.json web/
# Without scripts: there is nothing to generate from yet, and `npm run build` does it.
RUN npm ci --ignore-scripts
COPY tsconfig.json tsconfig.build.json ./
COPY contract contract
COPY server server
COPY docs docs
COPY scripts scripts
COPY web web
RUN npm run build && npm ci --omit=dev --ignore-scripts

FROM node:22.23.3-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY fleets fleets
# The user node, as a number: whoever refuses images that run as root can tell.
USER 1000:1000
EXPOSE 8080
# Ready, not merely alive: a replica that has lost its database gets no work from whoever asks this.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=4", "--heap-growing-percent=40", "--no-allocation-site-pretenuring", "dist/server/main.js"]
