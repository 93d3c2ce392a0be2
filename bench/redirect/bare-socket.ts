/** The least that the system lets a redirect cost from JavaScript: bytes in, the same bytes out. */
const { PORT = '0', LOCATION = '' } = process.env;
const answer = Buffer.from(
  `HTTP/1.1 302 Found\r\nLocation: ${LOCATION}\r\nCache-Control: private, no-store\r\nContent-Length: 0\r\nDate: ${new Date().toUTCString()}\r\n\r\n`,
);
Bun.listen({
  port: Number(PORT),
  hostname: '127.0.0.1',
  socket: {
    data(socket) {
      socket.write(answer);
    },
  },
});

export {};
