import JSON
import Testing

@testable import FitIQAPI

/// Reads each member's allowed values from the table of collections, independently of the code.
@Suite("The collection table") struct DocumentRuleTests {
    static let sent = TableMember.all.filter(\.isSent)

    @Test("Each collection has members of every type, a valid example and a name for messages")
    func table() throws {
        for collection in DocumentCollection.allCases {
            let members = TableMember.all.filter { $0.collection == collection }
            #expect(members.count > 4 && !collection.row.item.isEmpty, "\(collection)")
            let example = TableMember.example(of: collection)
            let read = try DocumentRequest.object(example.encoded(), for: collection, at: .example)
            for member in members where member.isSent && member.rule["items"] == nil && member.rule["members"] == nil {
                #expect(
                    JSONValue.object(read)[member.steps[...]] == example[member.steps[...]], "\(member.testDescription)"
                )
            }
        }
        let types = Set(TableMember.all.compactMap(\.type))
        #expect(types == ["boolean", "date-time", "string", "integer", "number", "array", "object"])
    }

    @Test("The error for an invalid member names the member", arguments: sent)
    func refuses(member: TableMember) throws {
        var values = Self.wrongValues(of: member).map(Optional.some)
        if member.isRequired { values += [nil, .null] }
        for value in values {
            let refusal = refusal(try member.read(with: value))
            #expect(refusal?.status == .badRequest && refusal?.code == .validationFailed, "\(value ?? "absent")")
            #expect(refusal?.message.contains("'\(member.path)'") == true, "\(value ?? "absent"): \(refusal as Any)")
        }
    }

    @Test("Values at the limits of their ranges are accepted unchanged", arguments: sent)
    func takes(member: TableMember) throws {
        for value in Self.extremes(of: member) { #expect(try member.read(with: value)[member.steps[...]] == value) }
    }

    @Test("Absent members and null members get their default or are omitted", arguments: sent)
    func usual(member: TableMember) throws {
        guard !member.isRequired, case .member? = member.steps.last else { return }
        let usual =
            member.rule["default"] == "now"
            ? .string(member.collection.row.hasFractions ? "2025-01-29T10:30:00.000Z" : "2025-01-29T10:30:00Z")
            : member.rule["default"]
        for value in [nil, JSONValue.null] { #expect(try member.read(with: value)[member.steps[...]] == usual) }
    }

    @Test("Times are stored in UTC with whole seconds or, for insights, with milliseconds", arguments: sent)
    func times(member: TableMember) throws {
        guard member.type == "date-time" else { return }
        let text = TableMember.example(of: member.collection)[member.steps[...]]?.string
        let time = try #require(text.flatMap { DateTime($0) })
        let kept = String(time.wireText.dropLast()) + (member.collection == .insights ? ".000Z" : "Z")
        let other = DateTime(secondsSinceEpoch: time.secondsSinceEpoch + 7200).wireText.dropLast()
        for sent in [time.wireText, "\(other)+02:00", "\(other).25+02:00", "\(time.wireText.dropLast()).999999Z"] {
            #expect(try member.read(with: .string(sent))[member.steps[...]] == .string(kept))
        }
    }

    @Test(
        "A request cannot set computed members or scenario-only members",
        arguments: TableMember.all.filter { !$0.isSent })
    func notSent(member: TableMember) throws {
        for value: JSONValue in ["x", true, 7, ["x": 1]] {
            let read = try member.read(with: value)
            #expect(read[member.steps[...]] == (member.rule["computed"] == true ? nil : member.rule["default"]))
        }
    }

    @Test("A request cannot set the members that the world computes", arguments: DocumentCollection.allCases)
    func worldMembers(collection: DocumentCollection) throws {
        let computed = TableMember.all.filter { $0.collection == collection && $0.steps.count == 1 }
            .filter { $0.rule["computed"] == true }.map(\.path)
        let names = ["id", "user_id", "created_at", "updated_at"] + computed
        var object = try #require(TableMember.example(of: collection).object)
        for name in names { object[name] = "x" }
        let read = try DocumentRequest.object(JSONValue.object(object).encoded(), for: collection, at: .example)
        let encoded = try JSON.parse(Document(collection, read).encoded)
        for name in names { #expect(read[name] == nil && encoded[name] != nil && encoded[name] != "x", "\(name)") }
    }

    @Test("Unknown members are stored at any depth", arguments: DocumentCollection.allCases)
    func unknown(collection: DocumentCollection) throws {
        let places = TableMember.all.filter { $0.collection == collection && $0.type == "object" }.map(\.steps) + [[]]
        for place in places {
            for value: JSONValue in [nil, [1, ["é": ["a": nil]]], "x"] {
                let path = place + [.member("x_more")]
                let example = TableMember.example(of: collection).setting(value, at: path[...])
                let read = try DocumentRequest.object(example.encoded(), for: collection, at: .example)
                #expect(JSONValue.object(read)[path[...]] == value, "\(path)")
            }
        }
    }

    // MARK: Values

    private static func wrongValues(of member: TableMember) -> [JSONValue] {
        let rule = member.rule
        let others: [JSONValue]
        switch member.type {
        case "boolean": others = ["true", 1, [], [:]]
        case "date-time":
            others = [
                1_738_146_600, true, [], "", "yesterday", "3d ago", "2025-01-29", "2025-01-29T10:30:00+0200",
                "2025-02-30T10:30:00Z", "2025-01-29T24:30:00Z",
            ]
        case "string":
            others = [1, true, [], [:]] + (rule["enum"] == nil ? [] : ["", "no such value", upperCase(rule)])
        case "integer": others = ["1", true, 1.5, [], [:]]
        case "number": others = ["1", true, [], [:]]
        case "array": others = ["x", 1, true, [:]]
        case "object": others = ["x", 1, true, []]
        default: return []
        }
        return others + bounds(of: member, outside: true)
    }

    private static func upperCase(_ rule: JSONObject) -> JSONValue {
        let choice = rule["enum"]?[0]?.string ?? ""
        return .string(choice == choice.uppercased() ? choice.lowercased() + " " : choice.uppercased())
    }

    private static func extremes(of member: TableMember) -> [JSONValue] {
        switch member.type {
        case "boolean": [true, false]
        case "string" where member.rule["enum"] != nil: member.rule["enum"]?.array ?? []
        case "string": bounds(of: member, outside: false) + ["x", "Ünder \u{1F6B4}"]
        case nil: [1, "x", true, [:]]
        default: bounds(of: member, outside: false)
        }
    }

    /// The table's bounds for a member, or the nearest values outside them.
    private static func bounds(of member: TableMember, outside: Bool) -> [JSONValue] {
        let (rule, step) = (member.rule, outside ? 1 : 0)
        func text(_ count: Int) -> JSONValue { .string(String(repeating: "é", count: count)) }
        func list(_ count: Int) -> JSONValue {
            let element = TableMember.example(of: member.collection)[member.steps[...]]?[0] ?? "x"
            return .array(Array(repeating: element, count: count))
        }
        var values: [JSONValue] = []
        // No string is shorter than the empty string.
        if let least = rule["minLength"]?.int, least >= step { values.append(text(least - step)) }
        if let most = rule["maxLength"]?.int { values.append(text(most + step)) }
        if let least = rule["minItems"]?.int { values.append(list(least - step)) }
        if let most = rule["maxItems"]?.int { values.append(list(most + step)) }
        let (least, most) = (rule["minimum"]?.double, rule["maximum"]?.double)
        if member.type == "integer" {
            if let least { values.append(.number(JSONNumber(Int(least) - step))) }
            if let most { values.append(.number(JSONNumber(Int(most) + step))) }
        } else {
            if let least { values.append(.number(JSONNumber(least - Double(step) / 1024))) }
            if let most { values.append(.number(JSONNumber(most + Double(step) / 1024))) }
        }
        return values
    }
}

extension Document {
    /// Creates a document that belongs to the user `user-1`.
    init(_ collection: DocumentCollection, _ object: JSONObject, sharedWith shares: [TemplateShare] = []) {
        self.init(
            id: .numbered(1), user: "user-1", object: object, in: collection, createdAt: .example,
            updatedAt: .example, shares: shares)
    }

    /// A document from the body of a request.
    static func read(_ collection: DocumentCollection, _ json: String) throws -> Document {
        Document(collection, try DocumentRequest.object(json.bytes, for: collection, at: .example))
    }
}
