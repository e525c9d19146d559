import Digests
import FitIQAPI
import HTTP1
import JSON

extension EntryReader {
    mutating func exchange(_ cursor: LineCursor) throws(Trouble) -> RecordedExchange {
        let request = try self.request(cursor)
        let body = try content(inner, .body, .bodyBase64, .bodyBytes, cursor)
        var exchange = RecordedExchange(
            head: request, body: body, requestedAt: try timestamp(.requestedAt, cursor), endpoint: endpoint(cursor),
            user: try name(.user, cursor).map(ExactString.init(_:)), unmatched: nil, status: nil, responseFields: .none,
            responseBody: RecordedBody(), delivery: try delivery(cursor), faults: try faults(cursor))
        if !members[.unmatched].isNone { exchange.unmatched = try choice(.unmatched, in: members, cursor) }
        if !members[.response].isNone {
            try enter(.response, cursor)
            let status: Int = try integer(.status, in: inner, cursor)
            guard (100...999).contains(status) else { throw wrong(.status, inner, cursor) }
            exchange.status = status
            exchange.responseFields = try responseFields(cursor)
            exchange.responseBody = try content(inner, .body, .bodyBase64, .bodyBytes, cursor)
        }
        return exchange
    }

    mutating func opening(_ cursor: LineCursor) throws(Trouble) -> RecordedOpening {
        let request = try self.request(cursor)
        var opening = RecordedOpening(
            head: request, requestedAt: try timestamp(.requestedAt, cursor), endpoint: endpoint(cursor),
            user: try name(.user, cursor).map(ExactString.init(_:)), faults: try faults(cursor))
        if !members[.response].isNone {
            try enter(.response, cursor)
            opening.responseFields = try responseFields(cursor)
        }
        return opening
    }

    /// Reads the members of an object within the line.
    mutating func enter(_ name: EntryMembers.Name, _ cursor: LineCursor) throws(Trouble) {
        let object = try required(name, .object, in: members, cursor)
        var inside = LineCursor(cursor.bytes, at: Int(object.start))
        do throws(LineCursor.NotJSON) {
            try inner.read(&inside)
        } catch {
            throw .notJSON
        }
    }

    /// The operation; an unknown one counts as none.
    private mutating func endpoint(_ cursor: LineCursor) -> Endpoint? {
        let value = members[.endpoint]
        guard value.kind == .string else { return nil }
        return Endpoint(name: names.name(value, cursor))
    }

    /// Reassembles the head of the request and parses it as a server does.
    private mutating func request(_ cursor: LineCursor) throws(Trouble) -> RequestHead {
        try enter(.request, cursor)
        let method = try required(.method, .string, in: inner, cursor)
        let target = try required(.target, .string, in: inner, cursor)
        let version = try required(.version, .string, in: inner, cursor)
        let fields = try required(.fields, .array, in: inner, cursor)
        var head: [UInt8] = []
        head.reserveCapacity(fields.count + target.count + 32)
        cursor.append(method, to: &head)
        head.append(UInt8(ascii: " "))
        let first = target.count > 0 ? cursor.bytes[Int(target.start)] : 0
        // A journal has the host of an absolute target, but not the scheme.
        if first != UInt8(ascii: "/"), first != UInt8(ascii: "*"), !cursor.string(method, is: "CONNECT") {
            head.append(contentsOf: "http://".utf8)
        }
        cursor.append(target, to: &head)
        guard !head.contains(where: { $0 == 0x0A || $0 == 0x0D }) else { throw wrong(.target, inner, cursor) }
        head.append(contentsOf: " HTTP/".utf8)
        cursor.append(version, to: &head)
        guard cursor.string(version, is: "1.1") || cursor.string(version, is: "1.0") else {
            throw wrong(.version, inner, cursor)
        }
        head.append(contentsOf: [0x0D, 0x0A])
        try appendFields(fields, cursor, to: &head)
        do throws(RemoteError) {
            return try RequestHead(recorded: head)
        } catch {
            throw .sentence(Sentences.badRequest(error.message))
        }
    }

    private func responseFields(_ cursor: LineCursor) throws(Trouble) -> RecordedFields {
        let fields = inner[.fields]
        if fields.isNone { return .none }
        var lines: [UInt8] = []
        lines.reserveCapacity(fields.count)
        try appendFields(try required(.fields, .array, in: inner, cursor), cursor, to: &lines)
        return .encoded(lines)
    }

    /// Appends field lines, each with its CRLF.
    private func appendFields(
        _ fields: LineCursor.Value, _ cursor: LineCursor, to output: inout [UInt8]
    ) throws(Trouble) {
        var inside = LineCursor(cursor.bytes, at: Int(fields.start) + 1)
        var isFirst = true
        do {
            while try inside.hasNextElement(isFirst: &isFirst) {
                inside.skipWhitespace()
                guard inside.bytes[inside.offset] == UInt8(ascii: "{") else { throw wrong(.fields, inner, cursor) }
                inside.offset += 1
                var name = LineCursor.Value.absent
                var value = LineCursor.Value.absent
                var isFirstMember = true
                while let member = try inside.nextName(isFirst: &isFirstMember) {
                    let content = try inside.value()
                    if cursor.string(member, is: "name") { name = content }
                    if cursor.string(member, is: "value") { value = content }
                }
                guard name.kind == .string, value.kind == .string else { throw wrong(.fields, inner, cursor) }
                let start = output.count
                cursor.append(name, to: &output)
                guard !output[start...].contains(UInt8(ascii: ":")) else { throw wrong(.fields, inner, cursor) }
                output.append(UInt8(ascii: ":"))
                output.append(UInt8(ascii: " "))
                cursor.append(value, to: &output)
                // A line end would split the line in two.
                guard !output[start...].contains(where: { $0 == 0x0A || $0 == 0x0D }) else {
                    throw wrong(.fields, inner, cursor)
                }
                output.append(0x0D)
                output.append(0x0A)
            }
        } catch let trouble as Trouble {
            throw trouble
        } catch {
            throw .notJSON
        }
    }

    /// A body or a payload, as text or in base64, truncated if there were more bytes.
    func content(
        _ members: EntryMembers, _ text: EntryMembers.Name, _ base64: EntryMembers.Name, _ count: EntryMembers.Name,
        _ cursor: LineCursor
    ) throws(Trouble) -> RecordedBody {
        let bytes: [UInt8]
        if members[text].kind == .string {
            bytes = cursor.decoded(members[text])
        } else if !members[base64].isNone {
            let encoded = try required(base64, .string, in: members, cursor)
            guard let decoded = Base64.decode(cursor.text(encoded)) else { throw wrong(base64, members, cursor) }
            bytes = decoded
        } else {
            guard members[text].isNone else { throw wrong(text, members, cursor) }
            bytes = []
        }
        if members[count].isNone { return RecordedBody(bytes) }
        let byteCount: Int = try integer(count, in: members, cursor)
        guard byteCount >= bytes.count else { throw wrong(count, members, cursor) }
        return RecordedBody(bytes, of: byteCount)
    }
}
