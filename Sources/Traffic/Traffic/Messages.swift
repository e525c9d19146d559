import FitIQAPI
import HTTP1
import JSON
import Text
import WebSocket

enum Messages {
    // MARK: Reading HAR

    static let empty = "the file is empty; expected a HAR from a browser, a proxy or 'fitiq-mock record'"
    /// The limit is in bytes, for the file and its attachments together.
    static func tooLarge(limit: Int) -> String {
        "more than \(size(limit)), which is the limit; record a shorter session"
    }
    /// Playwright (zip) and mitmproxy (zlib) have options for compressing files.
    static func compressed(_ form: String) -> String {
        "this is \(form), not JSON; unpack it and pass the HAR inside"
    }
    /// The excerpt is escaped, so that it cannot control a terminal.
    static func notJSON(_ error: JSONError) -> String { TerminalText.escaped("this is not valid JSON: \(error)") }
    /// Describes the value by its kind and text, such as `a string: "abc"`, escaped.
    static func wrong(_ value: JSONValue?, expected: String) -> String {
        let excerpt = value.map { $0.isNull ? "" : ": \(TerminalText.escaped($0.excerpt()))" } ?? ""
        return "expected \(expected), found \(value?.typeName ?? "nothing")\(excerpt)"
    }
    static func lost(_ loss: HARLoss, _ count: Int, _ entries: [Int]) -> String {
        let (isOne, was) = (count == 1, count == 1 ? "was" : "were")
        let bodies = Words.counted(count, "body", "bodies")
        let messages = Words.counted(count, "WebSocket message")
        let numbers = entries.prefix(HARLosses.mostNamed).map(String.init)
        let list = entries.count == numbers.count ? Words.list(numbers) : (numbers + ["…"]).joined(separator: ", ")
        // `(entry 3)`, `(entries 3 and 7)`, `(entries 1, 2, 3, 4, 5, …)`.
        let place = " (\(entries.count == 1 ? "entry" : "entries") \(list))"
        return switch loss {
        case .body: "\(bodies) \(was) not recorded\(place); save the HAR with its content"
        case .unreadableBody:
            "\(bodies) \(isOne ? "is" : "are") not in the encoding that the file names, perhaps because the "
                + "file was sanitized\(place): treated as not recorded"
        case .cutBody: "\(bodies) \(was) truncated or omitted by the recorder\(place)"
        case .shortBody:
            "\(bodies) \(isOne ? "is shorter than its declared size" : "are shorter than their declared sizes")\(place)"
        case .formFile:
            "the files in \(Words.counted(count, "form")) were not recorded\(place); save the HAR with its content"
        case .message: "\(messages) that \(isOne ? "is" : "are") neither text nor binary \(was) left out\(place)"
        case .unreadableMessage:
            "\(messages) that should be base64 but \(isOne ? "is" : "are") not \(was) left out\(place)"
        case .cutMessage: "\(messages) \(was) truncated by the recorder\(place)"
        case .strayMessage:
            "\(messages) in "
                + "\(isOne ? "an entry that is not an open WebSocket" : "entries that are not open WebSockets") \(was) "
                + "left out\(place)"
        case .messages: "the messages on \(Words.counted(count, "WebSocket")) were not recorded\(place)"
        }
    }
    private static func size(_ bytes: Int) -> String {
        bytes % (1 << 20) == 0 ? "\(bytes >> 20) MiB" : "\(bytes) bytes"
    }
    static let object = "an object"
    static let array = "an array"
    static let string = "a string"
    static let date = "a date and time such as \"2025-01-29T10:30:00.000Z\", from 1970 to 2199"
    static let seconds = "a time in seconds or milliseconds since 1970, up to 2199"
    static let status = "a status from 100 to 999, or 0 if there was no answer"
    static let base64 = "base64"
    static let messageType = "\"send\" or \"receive\""
    static let party = "\"client\" or \"server\""
    static let count = "a number from 0"

    // MARK: Showing sessions

    static func summary(_ summary: SessionSummary, name: String) -> String {
        guard let started = summary.started else { return "\(name): nothing was recorded" }
        var parts = ["\(name): \(started.wireText)", seconds(summary.lasted)]
        if summary.requests > 0 { parts.append(Words.counted(summary.requests, "request")) }
        if summary.sockets > 0 {
            parts.append(
                "\(Words.counted(summary.sockets, "WebSocket")) with \(Words.counted(summary.frames, "frame"))")
        }
        return parts.joined(separator: ", ")
    }
    static func note(_ text: String) -> String { "note: \(text)" }

    /// Formats nanoseconds as `0 ms`, `4.4 ms`, `250 ms` or `1.234 s`.
    static func duration(_ nanoseconds: Int64) -> String {
        nanoseconds >= 1_000_000_000 ? seconds(nanoseconds) : "\(Durations.milliseconds(nanoseconds)) ms"
    }

    /// Formats nanoseconds as `+1.234 s`.
    static func offset(_ nanoseconds: Int64) -> String {
        nanoseconds < 0 ? "-" + seconds(-nanoseconds) : "+" + seconds(nanoseconds)
    }
    private static func seconds(_ nanoseconds: Int64) -> String { "\(Durations.fixedSeconds(nanoseconds)) s" }
    static func bytes(_ count: Int) -> String {
        switch count {
        case ..<10_000: "\(count) B"
        case ..<10_000_000: "\(count / 1000) kB"
        default: "\(count / 1_000_000) MB"
        }
    }
    static let noAnswer = "  (no answer)"
    static let incomplete = "  (the answer was cut off)"
    static let noEnding = "still open, or its end was not recorded"
    static func binary(_ count: Int) -> String { "binary, \(Words.counted(count, "byte"))" }
    static func moreBytes(_ count: Int) -> String { "… and \(Words.counted(count, "byte")) more" }

    /// Formats the payload of a close frame as `close 1000 "bye"`.
    static func close(_ payload: [UInt8]) -> String {
        guard payload.count >= 2 else { return payload.isEmpty ? "close" : "close with a one-byte payload" }
        let code = CloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
        guard payload.count > 2 else { return "close \(code)" }
        return "close \(code) \"\(TerminalText.excerpt(payload[2...], width: 200))\""
    }
    static func describe(_ ending: SessionEnding) -> String {
        switch ending.cause {
        case .closeFrame: "closed by the \(ending.party.rawValue)"
        case .finish: "ended by the \(ending.party.rawValue) without a close frame"
        case .reset: "reset by the \(ending.party.rawValue)"
        // Only journals distinguish these causes.
        case .timeOut, .fault, .violation, .limit, .shutdown: "ended by the \(ending.party.rawValue)"
        }
    }

    // MARK: Showing traffic as it happens

    static func faults(_ names: [String]) -> String {
        names.isEmpty ? "" : " [fault: \(TerminalText.excerpt(names.joined(separator: ", ").utf8, width: 100))]"
    }
    static func delivery(_ delivery: Delivery) -> String {
        switch delivery {
        case .complete: ""
        case .partial: " (cut off)"
        case .none: " (not delivered)"
        }
    }
    static func describe(_ closing: RecordedClosing) -> String {
        let frame = closing.party == .client ? closing.summary.received : closing.summary.sent
        var text = describe(SessionEnding(time: .init(nanosecondsSinceEpoch: 0), value: closing))
        switch closing.cause {
        case .closeFrame, .finish, .reset: break
        case .timeOut, .fault, .violation, .limit, .shutdown:
            text += " (\(closing.cause.rawValue.replacing("_", with: " ")))"
        }
        if let frame {
            text += ": close" + (frame.code.map { " \($0)" } ?? "")
            if !frame.reason.isEmpty { text += " \"\(TerminalText.excerpt(frame.reason.utf8, width: 200))\"" }
        }
        return text + (closing.message.map { ": " + TerminalText.excerpt($0.utf8, width: 200) } ?? "")
    }
    static func describe(_ hold: RecordedHold) -> String {
        let name = TerminalText.excerpt(hold.breakpoint.utf8, width: 100)
        let until = hold.until.nanosecondText.dropFirst(11).prefix(12)
        return "\(hold.place.rawValue) from the \(hold.sender.rawValue) held by \(name) until \(until): "
            + TerminalText.excerpt(hold.subject.utf8, width: 1000)
    }

    /// - Parameter late: How long the breakpoint delayed the message, in nanoseconds.
    static func describe(_ release: RecordedRelease, late: Int64) -> String {
        let name = TerminalText.excerpt(release.breakpoint.utf8, width: 100)
        return "\(release.action.rawValue) \(duration(max(late, 0))) after it was due (\(name))"
    }
    static func clockMoved(_ nanoseconds: Int64) -> String { "the clock moved by \(Durations.seconds(nanoseconds)) s" }
    static func systemClockSet(_ step: Int64) -> String {
        let span = Durations.seconds(Int64(clamping: step.magnitude))
        return "the system clock was set \(step < 0 ? "back" : "forward") by \(span) s"
    }
    static func describe(_ breach: TrafficLines.Breach) -> String {
        let numbers = Words.list(breach.entries.map { "#\($0)" })
        return TerminalText.escaped("\(breach.level) \(breach.obligation): \(breach.message)")
            + (numbers.isEmpty ? "" : " (\(numbers))")
    }

    // MARK: Comparing sessions

    static let silence = "no answer"
    static func completeness(_ isComplete: Bool) -> String { isComplete ? "complete" : "cut off" }
    static func sent(_ what: String, by party: Party) -> String { "\(what) by the \(party.rawValue)" }
    static func moreChanges(_ count: Int) -> String { Words.counted(count, "more difference") }
    static func place(_ index: Int) -> String { "no. \(index + 1)" }
    static func moved(from first: Int, to second: Int) -> String {
        "\(place(first)) in the first, \(place(second)) in the second"
    }
    static func noLonger(_ name: String, _ index: Int) -> String {
        "It no longer sends \(name), which the older command sent as \(place(index))."
    }
    static func isNew(_ name: String, _ index: Int) -> String {
        "It sends \(name) as \(place(index)), which the older command did not."
    }
    static func isElsewhere(_ name: String, from first: Int, to second: Int) -> String {
        "It sends \(name) as \(place(second)); the older command sent it as \(place(first))."
    }
    static func isChanged(_ name: String, _ index: Int, _ change: SessionChange) -> String {
        let (old, new) = (change.first ?? "nothing", change.second ?? "nothing")
        return "\(name) (\(place(index))): \(change.path) is \(new); with the older command, it was \(old)."
    }
    static func describe(_ change: SessionChange) -> String {
        switch (change.first, change.second) {
        case (let first?, let second?) where first == second: "\(change.path): \(first)"
        case (let first?, let second?): "\(change.path): \(first) → \(second)"
        case (let first?, nil): "\(change.path): only in the first: \(first)"
        case (nil, let second?): "\(change.path): only in the second: \(second)"
        case (nil, nil): change.path
        }
    }
    static func verdict(_ count: Int) -> String {
        count == 0 ? "The sessions are equal." : "The sessions differ in \(Words.counted(count, "place"))."
    }

    // MARK: Notes about what a recording lacks

    static func badRequest(_ error: RemoteError) -> String {
        "A client sent something other than an HTTP/1.1 request, so the rest of the client's connection is not "
            + "recorded: \(error.message)"
    }
    static func badAnswer(_ error: RemoteError, url: String) -> String {
        "The answer to \(url) is not HTTP/1.1, so the rest of its connection is not recorded: \(error.message)"
    }
    static func unread(_ coding: String, from party: Party, _ request: SessionRequest) -> String {
        "The body of the \(party == .client ? "request" : "answer to") \(request.method) \(request.url) has the "
            + "content coding \(coding), which the recorder cannot decode to find secrets, so it records the body only "
            + "if secrets are kept."
    }
    static func unaskedAnswer(_ count: Int) -> String {
        "A server sent \(Words.counted(count, "byte")) before it had received a complete request, so the rest of the "
            + "server's connection is not recorded."
    }
    static func otherProtocol(_ url: String) -> String {
        "The connection to \(url) switched to a protocol other than WebSocket, so the rest of the connection is not "
            + "recorded."
    }
    static func tunnel(_ url: String) -> String {
        "The connection to \(url) became a tunnel, so the rest of the connection is not recorded."
    }
    static func extensions(_ extensions: String, url: String) -> String {
        "The frames on \(url) are not recorded, because both sides agreed on an extension that changes them "
            + "(\(extensions)); leave Sec-WebSocket-Extensions out of the handshake."
    }
    static func badFrame(_ message: String, from party: Party) -> String {
        "The \(party.rawValue) broke the WebSocket protocol, so the rest of its frames are not recorded: \(message)"
    }
    static func fileFull(_ limits: HARLimits) -> String {
        "The recording has reached the limit for a readable file (\(limits.bytes) bytes, \(limits.entries) "
            + "entries or \(limits.values) values): the traffic so far is kept, and nothing more is recorded. Stop the "
            + "recording, and record less in one file."
    }
    static func tooMuchHeld(limit: Int) -> String {
        "All connections together hold more than \(limit) bytes of unfinished bodies and messages, so the rest of one "
            + "connection is not recorded."
    }

    // MARK: The journal

    static func cut(kept: Int, of count: Int) -> String { "The journal keeps the first \(kept) of \(count) bytes." }
    static func ignoredSubprotocol(_ offered: String) -> String {
        "The client offered the subprotocol \(quoted(offered)), but the server supports none: the answer has no "
            + "Sec-WebSocket-Protocol. Browsers fail such a connection; offer no subprotocol."
    }
    static func unknownParameter(_ name: String, allowed: [String]) -> String {
        let near = NearestWord.hint(name, among: allowed)
        return "The journal has no parameter \(quoted(name)); it has \(allowed.joined(separator: ", ")).\(near)"
    }
    static func unknownVerdict(_ id: String, known: [String]) -> String {
        "'verdict' must be broken or an obligation's id; got \(quoted(id)).\(NearestWord.hint(id, among: known))"
    }
    static func badStatus(_ value: String) -> String {
        "The parameter 'status' must be a status from 100 to 599, such as 404, or a status class, such as 4xx; got "
            + "\(quoted(value))."
    }
    static func badPath(_ value: String) -> String {
        "The parameter 'path' must be part of a path, such as /messages, or a template that begins with a slash, such "
            + "as /api/v1/goals/{goalId}; got \(quoted(value))."
    }
    static func badTrace(_ value: String) -> String {
        "The parameter 'trace' must be a trace id: 32 lower-case hexadecimal digits that are not all 0, as in the "
            + "second part of the field 'traceparent'; got \(quoted(value))."
    }
    static func empty(_ name: String) -> String {
        "The parameter '\(name)' is empty; set a value or omit the parameter."
    }

    // MARK: Saved journals

    static let noObject =
        "a journal line must be an object, as in the answer to GET /__admin/journal; this line is not an object."
    static func notJSON(_ reason: String) -> String { "this is not valid JSON: \(reason)." }
    static func missing(_ name: String) -> String { "the entry has no '\(name)'; is this journal line complete?" }
    static func unknownWord(_ word: String, of name: String, allowed: [String]) -> String {
        "'\(name)' must be one of \(allowed.joined(separator: ", ")); got \(quoted(word))."
    }
    static func badRequest(_ reason: String) -> String { "the recorded request is not valid: \(reason)" }
    static func longLine(limit: Int) -> String {
        "the line has more than \(limit >> 20) MiB, which is the limit; no journal has lines that long."
    }
    static let unfinishedLine =
        "the last line is incomplete: the program that wrote it was stopped. All lines before it are complete."

    /// Quotes a client's value, truncated and without control characters.
    private static func quoted(_ text: String) -> String { text.quoted(limit: 80) }
}

extension EndpointNearMiss.Difference {
    /// What the difference is and how to fix it.
    public var sentence: String {
        switch self {
        case .missingPrefix: "The path lacks the prefix /api/v1."
        case .repeatedPrefix: "The path has the prefix /api/v1 twice: remove it from the base URL or from the path."
        case .emptySegment: "The path has two slashes in a row: a value between them is probably empty."
        case .trailingSlash: "The path ends with a slash; leave it out."
        case .segment(let got, let expected): "\(Self.quoted(got)) should be \(Self.quoted(expected))."
        case .segmentCase(let got, let expected):
            "\(Self.quoted(got)) must be written \(Self.quoted(expected)); paths are case-sensitive."
        case .idCase(let got):
            "Ids are compared as text: lower-case \(Self.quoted(got)) (Swift's uuidString is upper case)."
        case .malformedID(let got): "\(Self.quoted(got)) is in the place of an id, but is not a lower-case UUID."
        case .missingSegment(let expected): "\(Self.quoted(expected)) is missing."
        case .extraSegment(let got): "\(Self.quoted(got)) is one segment too many."
        case .method(let got, let expected): "The method is \(got), and the endpoint answers \(expected)."
        }
    }

    private static func quoted(_ text: String) -> String { text.quoted(limit: 80) }
}
