import CLinux
import Glibc
import Load

/// A chunk's arrival.
struct Sample {
    let connection: UInt32
    let turn: UInt16
    /// Its place within the answer.
    let index: UInt16
    /// The time since its message was sent.
    let microseconds: UInt32
}

/// Many WebSockets that chat at once, on one thread and one epoll queue.
final class StreamLoad {
    private(set) var chatters: [Chatter]
    private(set) var samples: [Sample] = []
    private(set) var failures: [String] = []
    /// From the first message sent to the last chunk.
    private(set) var streamingNanoseconds: UInt64 = 0

    private let consultations: [Consultation]
    private let port: UInt16
    private var descriptors: [Int32]
    private var open = 0
    private let queue: Int32
    private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: 1024)
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 17, alignment: 16)
    private var stopsSendingAt: UInt64 = .max
    private let message = clientFrame(
        opcode: 1, Array(#"{"type":"message","content":"What should I eat for breakfast?"}"#.utf8))

    init(_ consultations: [Consultation], port: UInt16, expectedSamples: Int) throws {
        self.consultations = consultations
        self.port = port
        chatters = consultations.map { _ in Chatter() }
        descriptors = consultations.map { _ in -1 }
        queue = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard queue >= 0 else { throw LoadError.lastCall("epoll_create1") }
        samples.reserveCapacity(expectedSamples)
    }

    deinit {
        for descriptor in descriptors where descriptor >= 0 { close(descriptor) }
        close(queue)
        events.deallocate()
        scratch.deallocate()
    }

    /// Opens the connections evenly over one second, chats for `seconds`, then waits for the last answers to end.
    func run(seconds: Int) throws {
        let start = monotonicNanoseconds()
        stopsSendingAt = start + UInt64(seconds) * 1_000_000_000
        let givesUpAt = stopsSendingAt + 30_000_000_000
        let spacing = 1_000_000_000 / UInt64(chatters.count)
        var next = 0
        while next < chatters.count || open > 0 {
            let now = monotonicNanoseconds()
            while next < chatters.count, now >= start + UInt64(next) * spacing {
                try connect(next)
                next += 1
            }
            guard now < givesUpAt else { break }
            let count = epoll_wait(queue, events, 1024, next < chatters.count ? 1 : 100)
            guard count >= 0 || errno == EINTR else { throw LoadError.lastCall("epoll_wait") }
            for place in 0..<Int(max(count, 0)) {
                let index = Int(bench_epoll_tag(events + place))
                if chatters[index].state == .notStarted { sendHandshake(index) } else { read(index) }
            }
        }
        for index in chatters.indices where descriptors[index] >= 0 {
            fail(index, "an answer did not end within 30 s of the last message")
        }
        streamingNanoseconds = monotonicNanoseconds() - start
    }

    private func connect(_ index: Int) throws {
        let descriptor = try Loopback.connectWithoutWaiting(port: port)
        descriptors[index] = descriptor
        open += 1
        guard bench_epoll_watch(queue, EPOLL_CTL_ADD, descriptor, EPOLLOUT.rawValue, UInt64(index)) == 0 else {
            throw LoadError.lastCall("epoll_ctl")
        }
    }

    private func sendHandshake(_ index: Int) {
        let consultation = consultations[index]
        send(
            Array(
                """
                GET \(consultation.socketPath) HTTP/1.1\r
                Host: 127.0.0.1:\(port)\r
                \(consultation.credentials.fields)\(webSocketFields)\r\n
                """.utf8), index)
        guard descriptors[index] >= 0 else { return }
        chatters[index].started()
        guard bench_epoll_watch(queue, EPOLL_CTL_MOD, descriptors[index], EPOLLIN.rawValue, UInt64(index)) == 0 else {
            return fail(index, "\(LoadError.lastCall("epoll_ctl"))")
        }
    }

    /// Reads once; all bytes that it returns arrived when the read returned.
    private func read(_ index: Int) {
        let held = chatters[index].pending.count
        if held > 0 {
            chatters[index].pending.withUnsafeBytes { scratch.copyMemory(from: $0) }
            chatters[index].pending.removeAll(keepingCapacity: true)
        }
        let space = UnsafeMutableRawBufferPointer(rebasing: scratch[held...])
        let count = recv(descriptors[index], space.baseAddress, space.count, 0)
        let now = monotonicNanoseconds()
        guard count > 0 else {
            if count < 0, errno == EAGAIN { return }
            return fail(index, count == 0 ? "closed by the server" : "\(LoadError.lastCall("recv"))")
        }
        let bytes = UnsafeRawBufferPointer(rebasing: scratch[..<(held + count)])
        var parsed = 0
        if chatters[index].state == .handshaking {
            guard let end = endOfHead(bytes) else {
                chatters[index].pending.append(contentsOf: bytes)
                return
            }
            let head = String(decoding: bytes[..<end], as: UTF8.self)
            act(on: chatters[index].headArrived(head), index, now, bytes)
            parsed = end
        }
        while descriptors[index] >= 0 {
            switch scanFrame(bytes, from: parsed) {
            case .frame(let frame):
                parsed = frame.end
                act(on: chatters[index].frameArrived(frame, in: bytes), index, now, bytes)
            case .incomplete:
                chatters[index].pending.append(contentsOf: bytes[parsed...])
                return
            case .violation(let what): fail(index, what)
            }
        }
    }

    private func act(on step: Chatter.Step, _ index: Int, _ now: UInt64, _ bytes: UnsafeRawBufferPointer) {
        switch step {
        case .nothing: break
        case .chunk:
            samples.append(
                Sample(
                    connection: UInt32(index), turn: UInt16(chatters[index].turns - 1),
                    index: UInt16(chatters[index].chunks - 1),
                    microseconds: UInt32(clamping: (now - chatters[index].sentAt) / 1_000)))
        case .sendMessage:
            let now = monotonicNanoseconds()
            guard now < stopsSendingAt else {
                chatters[index].finish()
                // 1000, normal closure.
                send(clientFrame(opcode: 8, [0x03, 0xE8]), index)
                return end(index)
            }
            chatters[index].messageSent(at: now)
            send(message, index)
        case .sendPong(let payload): send(clientFrame(opcode: 10, bytes[payload]), index)
        case .fail(let reason): fail(index, reason)
        }
    }

    /// Frames are far smaller than a socket's buffer: a short write means that the server stopped reading.
    private func send(_ bytes: [UInt8], _ index: Int) {
        guard descriptors[index] >= 0 else { return }
        let sent = Glibc.send(descriptors[index], bytes, bytes.count, Int32(MSG_NOSIGNAL))
        if sent != bytes.count { fail(index, "\(LoadError.lastCall("send"))") }
    }

    private func fail(_ index: Int, _ reason: String) {
        chatters[index].fail()
        failures.append("\(consultations[index].user): \(reason)")
        end(index)
    }

    private func end(_ index: Int) {
        guard descriptors[index] >= 0 else { return }
        close(descriptors[index])
        descriptors[index] = -1
        open -= 1
    }
}
