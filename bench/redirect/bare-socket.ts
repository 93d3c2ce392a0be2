/** The minimum cost of a redirect in JavaScript: fixed bytes in response to any bytes. */
const { PORT = '0', LOCATION = '' } = process.env;
const response = Buffer.from(
  `HTTP/1.1 302 Found\r\nLocation: ${LOCATION}\r\nCache-Control: private, no-store\r\nContent-Length: 0\r\nDate: ${new Date().toUTCString()}\r\n\r\n`,
);
Bun.listen({
  port: Number(PORT),
  hostname: '127.0.0.1',
  socket: {
    data(socket) {
      socket.write(response);
    },
  },
});

export {};
