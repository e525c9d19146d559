import FitIQAPI
import HTTP1

/// A long answer in progress: its unsent head, and the source of its body.
final class BodyStream {
    let source: any BodySource
    /// The answer; nil once its head is sent.
    fileprivate var unsent: (answer: Answer, head: RequestHead, world: World)?
    fileprivate var isQueued = false
    /// Whether the source is waiting for ``Engine/wakeStreams()``.
    fileprivate(set) var isWaiting = false

    fileprivate init(_ source: any BodySource, _ answer: Answer, to head: RequestHead, in world: World) {
        self.source = source
        unsent = (answer, head, world)
    }
}

struct StreamQueue {
    /// The connections that get a slice next, starting with the connection that has waited longest.
    var waiting: [ConnectionID] = []
    /// The connections whose source is waiting for a paused world, a moving clock or an entry.
    var idle: [ConnectionID] = []
    /// The connections whose answer keeps journal entries.
    var journalReaders: Set<ConnectionID> = []
    /// The budget for all slices in a turn: 64 KiB, or about half a millisecond of work.
    var sliceSize = 64 * 1024
    fileprivate var buffer: [UInt8] = []
}

/// Long answers, whose bodies the engine produces while sending them.
///
/// A loop turn produces one slice or several small slices, starting with the reader that has waited longest, and then
/// serves all other connections. A large answer therefore does not block the loop longer than a small one.
extension Engine {
    func begin(
        _ source: any BodySource, of answer: Answer, to head: RequestHead, in world: World, on connection: Connection
    ) {
        connection.stream = BodyStream(source, answer, to: head, in: world)
        connection.isReadingStalled = true
        if source.keepsJournal { streams.journalReaders.insert(connection.id) }
        queueStream(of: connection)
        account(connection)
    }

    /// Queues the next slice of an answer if the reader has room for it.
    func queueStream(of connection: Connection) {
        guard let stream = connection.stream, !stream.isQueued, !stream.isWaiting,
            connection.output.count <= limits.unsentBytesBeforeReadingPauses
        else { return }
        stream.isQueued = true
        streams.waiting.append(connection.id)
    }

    /// Queues all answers that are waiting for a world or a clock.
    func wakeStreams() {
        for id in streams.idle {
            guard let connection = self[id], let stream = connection.stream else { continue }
            stream.isWaiting = false
            queueStream(of: connection)
        }
        streams.idle = []
    }

    /// Queues a connection's answer if the answer is waiting.
    func wakeStream(of connection: Connection) {
        guard let stream = connection.stream, stream.isWaiting else { return }
        streams.idle.removeAll { $0 == connection.id }
        stream.isWaiting = false
        queueStream(of: connection)
    }

    /// Updates the held bytes of readers that keep journal entries.
    func accountJournalReaders(at now: Timestamp) {
        guard !streams.journalReaders.isEmpty else { return }
        for id in streams.journalReaders {
            if let connection = self[id], connection.stream?.source.keepsJournal ?? false {
                account(connection)
            } else {
                streams.journalReaders.remove(id)
            }
        }
        enforceMemoryLimits(at: now)
    }

    func feedStreams(at now: Timestamp) {
        guard !streams.waiting.isEmpty else { return }
        let waiting = streams.waiting.count
        var looked = 0
        var room = streams.sliceSize
        while looked < waiting, room > 0 {
            let id = streams.waiting[looked]
            looked += 1
            guard let connection = self[id], connection.ending == .none else { continue }
            if let stream = connection.stream {
                room -= feed(connection, stream, at: now)
            } else if connection.isFollower {
                room -= feedFollower(connection, at: now)
            }
        }
        streams.waiting.removeFirst(looked)
    }

    private func feed(_ connection: Connection, _ stream: BodyStream, at now: Timestamp) -> Int {
        stream.isQueued = false
        var buffer: [UInt8] = []
        swap(&buffer, &streams.buffer)
        var slice = BodySlice(size: streams.sliceSize, at: now, reusing: buffer)
        buffer = []
        lendOutput(to: connection)
        do throws(APIError) {
            let progress = try stream.source.fill(&slice)
            send(slice.bytes, progress, of: stream, on: connection, at: now)
            if progress == .waiting {
                stream.isWaiting = true
                streams.idle.append(connection.id)
            }
        } catch {
            if let (_, head, world) = stream.unsent {
                endStream(of: connection)
                respond(Answer(error, in: .union), to: head, in: world, on: connection, at: now)
            } else {
                end(connection, .reset)
            }
        }
        let cost = streams.sliceSize - slice.bytesLeft
        slice.bytes.removeAll(keepingCapacity: slice.bytes.capacity <= 4 * streams.sliceSize)
        swap(&slice.bytes, &streams.buffer)
        touch(connection)
        // The client had to wait for the server, so restart its idle timer.
        if connection.ending == .none {
            if let stream = connection.stream, stream.isWaiting, let time = stream.source.wakesAt {
                let span = time.nanosecondsSinceEpoch - now.nanosecondsSinceEpoch
                arm(connection, .wake, after: max(span, 0), at: now)
            } else {
                arm(connection, .idle, after: patience.idle, at: now)
            }
        }
        if connection.stream == nil {
            readRequests(of: connection, at: now)
        } else {
            queueStream(of: connection)
        }
        account(connection)
        return cost
    }

    private func send(
        _ bytes: [UInt8], _ progress: BodyProgress, of stream: BodyStream, on connection: Connection, at now: Timestamp
    ) {
        if let (answer, head, world) = stream.unsent {
            if progress == .end {
                // The whole answer fits into its first slice.
                var answer = answer
                answer.body = bytes
                endStream(of: connection)
                return respond(answer, to: head, in: world, on: connection, at: now)
            }
            guard !bytes.isEmpty else { return }
            stream.unsent = nil
            connection.http.startResponse(
                status: answer.status, fields: answer.allFields(at: world.turn.date),
                contentLength: stream.source.length, close: isShuttingDown, into: &connection.output.bytes)
            noteAnswer(answer, to: head)
            if head.method == .head { return endBody(on: connection, at: now) }
        }
        connection.sendBody(bytes)
        if progress == .end { endBody(on: connection, at: now) }
        carry(connection, at: now)
    }

    private func endBody(on connection: Connection, at now: Timestamp) {
        endStream(of: connection)
        connection.http.endBody(into: &connection.output.bytes)
        if connection.http.shouldClose { linger(connection, at: now) }
    }

    /// Releases an answer's source.
    func endStream(of connection: Connection) {
        if let source = connection.stream?.source as? BytesSource, source.heldByteCount > Engine.largestWorkOnLoop {
            discard(source.takeRest())
        }
        connection.stream = nil
        connection.isReadingStalled = false
        // If this answer advanced a clock, other answers may be waiting for it to end.
        wakeStreams()
    }
}
