import CLibrary
import Testing

@testable import Sockets

@Suite("Socket error messages")
struct SocketErrorMessagesTests {
    private static let address = SocketAddress(ip: .v4(0x7F00_0001), port: 8080)
    private static let at = "127.0.0.1:8080"
    private static let files = "this process has reached its limit on open files; raise it with ulimit -n"

    @Test(
        "Failures with an address have the expected messages",
        arguments: [
            (
                .bind, EADDRINUSE,
                "cannot listen on \(at): another process is using the port; choose another port, or 0 for any free "
                    + "port"
            ),
            (
                .listen, EADDRINUSE,
                "cannot listen on \(at): another process is using the port; choose another port, or 0 for any free "
                    + "port"
            ),
            (
                .bind, EACCES,
                "cannot listen on \(at): this port is reserved for privileged users; choose port 1024 or higher"
            ),
            (
                .bind, EADDRNOTAVAIL,
                "cannot listen on \(at): no network interface on this machine has that address; "
                    + "use 127.0.0.1, or 0.0.0.0 for all of IPv4"
            ),
            (
                .create, EAFNOSUPPORT,
                "cannot open a socket: this machine does not support that kind of address; use an IPv4 address "
                    + "such as 127.0.0.1"
            ),
            (.create, EMFILE, "cannot open a socket: \(files)"),
            (.accept, EMFILE, "cannot accept a connection: \(files)"),
            (
                .accept, ENFILE,
                "cannot accept a connection: this machine has reached its limit on open files; close other programs"
            ),
            (
                .accept, ENOMEM,
                "cannot accept a connection: this machine is out of memory for sockets; close other programs"
            ),
            (.connect, ECONNREFUSED, "cannot connect to \(at): nothing is listening there"),
            (.connect, ETIMEDOUT, "cannot connect to \(at): no answer within the time limit"),
            (.connect, EHOSTUNREACH, "cannot connect to \(at): there is no route to it; check the host"),
            (
                .connect, EADDRNOTAVAIL,
                "cannot connect to \(at): no local port is free; wait for old connections to end"
            ),
            (.read, ECONNRESET, "cannot read from \(at): the other side reset the connection"),
            (.read, ETIMEDOUT, "cannot read from \(at): nothing arrived within the time limit"),
            (.write, ETIMEDOUT, "cannot write to \(at): it did not read the bytes within the time limit"),
            (.write, EPIPE, "cannot write to \(at): the connection is closed for writing"),
            (.write, ENOTCONN, "cannot write to \(at): the connection is gone"),
            (.configure, EINVAL, "cannot set a socket option: Invalid argument"),
            (.read, EIO, "cannot read from \(at): Input/output error"),
        ] as [(SocketError.Operation, Int32, String)])
    func addresses(_ operation: SocketError.Operation, _ code: Int32, _ message: String) {
        #expect(SocketError(operation, code: code, address: Self.address).description == message)
    }

    @Test(
        "Failures without an address have the expected messages",
        arguments: [
            (
                .resolve, EAI_NONAME, .host("fitiq.lan"),
                "cannot find the host \"fitiq.lan\": no such name; check the spelling, or use an address such "
                    + "as 127.0.0.1"
            ),
            (
                .resolve, EAI_AGAIN, .host("fitiq.lan"),
                "cannot find the host \"fitiq.lan\": the name server did not answer; use an address such as "
                    + "127.0.0.1 instead"
            ),
            (.read, ECONNRESET, .none, "cannot read from the other side: the other side reset the connection"),
            (.bind, EINVAL, .none, "cannot listen on that address: Invalid argument"),
            (.openQueue, EMFILE, .none, "cannot open the event queue: \(files)"),
            (
                .watch, ENOSPC, .none,
                "cannot watch a descriptor: the limit fs.epoll.max_user_watches has been reached; raise it with sysctl"
            ),
            (
                .watch, EPERM, .none,
                "cannot watch a descriptor: it is a regular file or a directory, which is always ready"
            ),
            (.wait, EBADF, .none, "cannot wait for events: Bad file descriptor"),
            (
                .watchSignal, EBUSY, .signal(2),
                "cannot watch signal 2: another event loop in this process is watching it"
            ),
            (.watchSignal, EINVAL, .signal(9), "cannot watch signal 9: no handler can be installed for it"),
            (
                .startThread, EAGAIN, .none,
                "cannot start a thread: the limit on processes and threads has been reached; raise it with ulimit -u"
            ),
        ] as [(SocketError.Operation, Int32, SocketError.Subject, String)])
    func others(
        _ operation: SocketError.Operation, _ code: Int32, _ subject: SocketError.Subject, _ message: String
    ) {
        #expect(SocketError(operation, code: code, subject: subject).description == message)
    }

    @Test("Every operation's message starts with what failed", arguments: SocketError.Operation.allCases)
    func operations(_ operation: SocketError.Operation) {
        let message = SocketError(operation, code: 1).description
        #expect(message.hasPrefix("cannot ") && message.contains(": "))
    }

    @Test("A long host name does not make a long message")
    func longHost() {
        let error = SocketError(.resolve, code: EAI_NONAME, host: String(repeating: "a", count: 1_000_000))
        #expect(error.description.utf8.count < 400)
    }

    @Test("Errors say what to do about them")
    func classes() {
        for code in [EMFILE, ENFILE, ENOBUFS, ENOMEM] {
            #expect(SocketError(.accept, code: code).isResourceExhaustion)
        }
        #expect(!SocketError(.accept, code: EINVAL).isResourceExhaustion)
        #expect(SocketError(.bind, code: EADDRINUSE).listenerChoice == .port)
        #expect(SocketError(.bind, code: EACCES).listenerChoice == .port)
        #expect(SocketError(.bind, code: EADDRNOTAVAIL).listenerChoice == .host)
        #expect(SocketError(.connect, code: EADDRNOTAVAIL).listenerChoice == nil)
        #expect(SocketError(.read, code: ETIMEDOUT).isTimeout)
        #expect(!SocketError(.read, code: EPIPE).isTimeout)
        // The resolver's codes are a different kind of number.
        let resolution = SocketError(.resolve, code: EMFILE, host: "x")
        #expect(!resolution.isResourceExhaustion)
        #expect(!SocketError(.resolve, code: ETIMEDOUT, host: "x").isTimeout)
        #expect(resolution.address == nil)
        #expect(SocketError(.bind, code: 1, address: Self.address).address == Self.address)
    }
}
