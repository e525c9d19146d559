import CLibrary
import Testing

@testable import Sockets

@Suite("Socket error messages")
struct SocketErrorMessagesTests {
    private static let address = SocketAddress(ip: .v4(0x7F00_0001), port: 8080)
    private static let files = "this process has reached its limit on open files; raise it with ulimit -n"
    private static let portInUse =
        "another process is using the port; choose another port, or 0 for any free port"

    /// What the message for an operation begins with, for an address or, like `HOST`, for another subject.
    private static func beginning(_ operation: SocketError.Operation, _ subject: String) -> String {
        switch operation {
        case .resolve: "cannot find the host \(subject)"
        case .create: "cannot open a socket"
        case .configure: "cannot set a socket option"
        case .bind, .listen: "cannot listen on \(subject)"
        case .accept: "cannot accept a connection"
        case .connect: "cannot connect to \(subject)"
        case .read: "cannot read from \(subject)"
        case .write: "cannot write to \(subject)"
        case .openQueue: "cannot open the event queue"
        case .watch: "cannot watch a descriptor"
        case .wait: "cannot wait for events"
        case .watchSignal: "cannot watch signal \(subject)"
        case .startThread: "cannot start a thread"
        }
    }

    @Test(
        "Failures with an address have the expected messages",
        arguments: [
            (.bind, EADDRINUSE, portInUse), (.listen, EADDRINUSE, portInUse),
            (.bind, EACCES, "this port is reserved for privileged users; choose port 1024 or higher"),
            (
                .bind, EADDRNOTAVAIL,
                "no network interface on this machine has that address; use 127.0.0.1, or 0.0.0.0 for all of IPv4"
            ),
            (
                .create, EAFNOSUPPORT,
                "this machine does not support that kind of address; use an IPv4 address such as 127.0.0.1"
            ),
            (.create, EMFILE, files), (.accept, EMFILE, files),
            (.accept, ENFILE, "this machine has reached its limit on open files; close other programs"),
            (.accept, ENOMEM, "this machine is out of memory for sockets; close other programs"),
            (.connect, ECONNREFUSED, "nothing is listening there"),
            (.connect, ETIMEDOUT, "no answer within the time limit"),
            (.connect, EHOSTUNREACH, "there is no route to it; check the host"),
            (.connect, EADDRNOTAVAIL, "no local port is free; wait for old connections to end"),
            (.read, ECONNRESET, "the other side reset the connection"),
            (.read, ETIMEDOUT, "nothing arrived within the time limit"),
            (.write, ETIMEDOUT, "it did not read the bytes within the time limit"),
            (.write, EPIPE, "the connection is closed for writing"), (.write, ENOTCONN, "the connection is gone"),
            (.configure, EINVAL, "Invalid argument"), (.read, EIO, "Input/output error"),
        ] as [(SocketError.Operation, Int32, String)])
    func addresses(_ operation: SocketError.Operation, _ code: Int32, _ reason: String) {
        let message = "\(Self.beginning(operation, "127.0.0.1:8080")): \(reason)"
        #expect(SocketError(operation, code: code, address: Self.address).description == message)
    }

    @Test(
        "Failures without an address have the expected messages",
        arguments: [
            (
                .resolve, EAI_NONAME, .host("fitiq.lan"), "\"fitiq.lan\"",
                "no such name; check the spelling, or use an address such as 127.0.0.1"
            ),
            (
                .resolve, EAI_AGAIN, .host("fitiq.lan"), "\"fitiq.lan\"",
                "the name server did not answer; use an address such as 127.0.0.1 instead"
            ),
            (.read, ECONNRESET, .none, "the other side", "the other side reset the connection"),
            (.bind, EINVAL, .none, "that address", "Invalid argument"), (.openQueue, EMFILE, .none, "", files),
            (.watch, ENOSPC, .none, "", "the limit fs.epoll.max_user_watches has been reached; raise it with sysctl"),
            (.watch, EPERM, .none, "", "it is a regular file or a directory, which is always ready"),
            (.wait, EBADF, .none, "", "Bad file descriptor"),
            (.watchSignal, EBUSY, .signal(2), "2", "another event loop in this process is watching it"),
            (.watchSignal, EINVAL, .signal(9), "9", "no handler can be installed for it"),
            (
                .startThread, EAGAIN, .none, "",
                "the limit on processes and threads has been reached; raise it with ulimit -u"
            ),
        ] as [(SocketError.Operation, Int32, SocketError.Subject, String, String)])
    func others(
        _ operation: SocketError.Operation, _ code: Int32, _ subject: SocketError.Subject, _ name: String,
        _ reason: String
    ) {
        let message = "\(Self.beginning(operation, name)): \(reason)"
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
        let codes = [EMFILE, ENFILE, ENOBUFS, ENOMEM, EINVAL]
        #expect(codes.filter { SocketError(.accept, code: $0).isResourceExhaustion } == codes.dropLast())
        let bindings = [EADDRINUSE, EACCES, EADDRNOTAVAIL].map { SocketError(.bind, code: $0).listenerChoice }
        #expect(bindings == [.port, .port, .host])
        #expect(SocketError(.connect, code: EADDRNOTAVAIL).listenerChoice == nil)
        #expect(SocketError(.read, code: ETIMEDOUT).isTimeout && !SocketError(.read, code: EPIPE).isTimeout)
        // The resolver's codes are a different kind of number.
        let resolution = SocketError(.resolve, code: EMFILE, host: "x")
        #expect(!resolution.isResourceExhaustion && resolution.address == nil)
        #expect(!SocketError(.resolve, code: ETIMEDOUT, host: "x").isTimeout)
        #expect(SocketError(.bind, code: 1, address: Self.address).address == Self.address)
    }
}
