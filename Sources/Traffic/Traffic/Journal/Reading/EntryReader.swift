import Digests
import FitIQAPI
import HTTP1
import JSON
import WebSocket

/// Parses one line of a journal in the format of `JournalEncoder`, with members in any order.
struct EntryReader {
    /// Why a line is not an entry.
    enum Trouble: Error {
        /// It is not valid JSON; `JSON` knows where and why.
        case notJSON
        /// It is valid JSON with this problem.
        case sentence(String)
    }

    var names = SharedNames()
    var members = EntryMembers()
    /// The members of the current object within the line.
    var inner = EntryMembers()

    /// Reads the entry of a line and its world; the result is nil if its kind is unknown.
    mutating func read(
        _ line: UnsafeBufferPointer<UInt8>
    ) throws(Trouble) -> (entry: JournalEntry, world: ExactString?)? {
        var cursor = LineCursor(line)
        cursor.skipWhitespace()
        if cursor.offset < line.count, line[cursor.offset] != UInt8(ascii: "{") {
            throw (try? cursor.value()) == nil || !cursor.isAtEnd() ? .notJSON : .sentence(Sentences.noObject)
        }
        do throws(LineCursor.NotJSON) {
            try members.read(&cursor)
        } catch {
            throw .notJSON
        }
        guard cursor.isAtEnd() else { throw .notJSON }

        let kindText = try required(.kind, .string, in: members, cursor)
        guard let kind = Self.kind(kindText, cursor) else { return nil }
        let number: Int = try integer(.number, in: members, cursor)
        guard number > 0 else { throw wrong(.number, members, cursor) }
        let time = try timestamp(.time, cursor)
        let connection: UInt64 = members[.connection].isNone ? 0 : try integer(.connection, in: members, cursor)
        let event: JournalEvent
        let byteCount: Int
        switch kind {
        case .frame:
            let frame = try self.frame(cursor)
            byteCount = frame.payload.bytes.count
            event = .frame(frame)
        case .exchange:
            let exchange = try self.exchange(cursor)
            byteCount = exchange.byteCount
            event = .exchange(exchange)
        case .opened:
            event = .opened(try opening(cursor))
            byteCount = event.byteCountOfTexts
        case .closed:
            event = .closed(try closing(cursor))
            byteCount = event.byteCountOfTexts
        case .fault:
            event = .fault(
                RecordedFault(
                    name: try name(.fault, cursor) ?? "", effect: try choice(.effect, in: members, cursor)))
            byteCount = 0
        case .clock:
            event = .clock(advancedBy: try integer(.advancedBy, in: members, cursor))
            byteCount = 0
        case .note:
            event = .note(cursor.text(try required(.text, .string, in: members, cursor)))
            byteCount = event.byteCountOfTexts
        }
        let entry = JournalEntry(number: number, time: time, connection: connection, event: event, byteCount: byteCount)
        return (entry, try name(.world, cursor).map(ExactString.init(_:)))
    }

    /// The kind of an entry, checking frames first because most are.
    private static func kind(_ value: LineCursor.Value, _ cursor: LineCursor) -> JournalEvent.Kind? {
        if cursor.string(value, is: "frame") { return .frame }
        if cursor.string(value, is: "exchange") { return .exchange }
        return JournalEvent.Kind(rawValue: cursor.text(value))
    }
}

/// Values by name, each with an error if it is not what it must be.
extension EntryReader {
    func required(
        _ name: EntryMembers.Name, _ kind: LineCursor.Value.Kind, in members: EntryMembers, _ cursor: LineCursor
    ) throws(Trouble) -> LineCursor.Value {
        let value = members[name]
        guard value.kind == kind else { throw wrong(name, members, cursor) }
        return value
    }

    func integer<Integer: FixedWidthInteger>(
        _ name: EntryMembers.Name, in members: EntryMembers, _ cursor: LineCursor
    ) throws(Trouble) -> Integer {
        guard let number = cursor.integer(members[name], as: Integer.self) else { throw wrong(name, members, cursor) }
        return number
    }

    func timestamp(_ name: EntryMembers.Name, _ cursor: LineCursor) throws(Trouble) -> Timestamp {
        let value = try required(name, .string, in: members, cursor)
        let text = UnsafeBufferPointer(rebasing: cursor.bytes[Int(value.start)..<Int(value.end)])
        guard let time = Timestamp(reading: text) else { throw wrong(name, members, cursor) }
        return time
    }

    mutating func name(_ name: EntryMembers.Name, _ cursor: LineCursor) throws(Trouble) -> String? {
        let value = members[name]
        if value.isNone { return nil }
        return names.name(try required(name, .string, in: members, cursor), cursor)
    }

    /// One of a type's raw values.
    func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: EntryMembers.Name, in members: EntryMembers, _ cursor: LineCursor
    ) throws(Trouble) -> Choice where Choice.RawValue == String {
        let value = try required(name, .string, in: members, cursor)
        guard let choice = Choice(rawValue: cursor.text(value)) else {
            throw .sentence(
                Sentences.unknownWord(
                    cursor.text(value), of: name.spelling.description, allowed: Choice.allCases.map(\.rawValue)))
        }
        return choice
    }

    func delivery(_ cursor: LineCursor) throws(Trouble) -> Delivery {
        members[.delivery].isNone ? .complete : try choice(.delivery, in: members, cursor)
    }

    mutating func faults(_ cursor: LineCursor) throws(Trouble) -> [String] {
        let list = members[.faults]
        if list.isNone { return [] }
        guard list.kind == .array else { throw wrong(.faults, members, cursor) }
        var inside = LineCursor(cursor.bytes, at: Int(list.start) + 1)
        var faults: [String] = []
        var isFirst = true
        do {
            while try inside.hasNextElement(isFirst: &isFirst) {
                let value = try inside.value()
                guard value.kind == .string else { throw wrong(.faults, members, cursor) }
                faults.append(names.name(value, cursor))
            }
        } catch let trouble as Trouble {
            throw trouble
        } catch {
            throw .notJSON
        }
        return faults
    }

    /// The error that names what a member must be and what it is.
    func wrong(_ name: EntryMembers.Name, _ members: EntryMembers, _ cursor: LineCursor) -> Trouble {
        let value = members[name]
        if value.isAbsent { return .sentence(Sentences.missing(name.spelling.description)) }
        let start = Int(value.start) - (value.kind == .string ? 1 : 0)
        let end = Int(value.end) + (value.kind == .string ? 1 : 0)
        let text = String(decoding: cursor.bytes[start..<min(end, start + 400)], as: UTF8.self)
        return .sentence(
            Sentences.wrongMember(name.spelling.description, expected: name.expectation, found: text))
    }
}

extension EntryMembers.Name {
    /// What the member must be, in words.
    var expectation: String {
        switch self {
        case .number: "a whole number from 1"
        case .connection, .payloadBytes, .bodyBytes: "a whole number from 0"
        case .status: "a whole number from 100 to 999"
        case .code: "a whole number from 0 to 65535"
        case .advancedBy: "a whole number"
        case .time, .requestedAt: "a time in UTC such as \"2025-01-29T10:30:00.250000000Z\""
        case .request, .response, .serverClose, .clientClose: "an object"
        case .faults: "an array of strings"
        case .fields: "an array of objects with \"name\" and \"value\", neither with a line end"
        case .payloadBase64, .bodyBase64: "base64 with padding (RFC 4648 §4)"
        case .world, .kind, .endpoint, .user, .delivery, .unmatched, .direction, .opcode, .reason, .payload, .by,
            .cause, .message, .fault, .effect, .text, .method, .target, .version, .body:
            "a string"
        }
    }
}
