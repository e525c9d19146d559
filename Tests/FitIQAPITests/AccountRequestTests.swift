import Testing

@testable import FitIQAPI

@Suite("Requests about accounts") struct AccountRequestTests {
    private static let now = Timestamp(secondsSinceEpoch: 1_738_146_600)

    private static func registration(_ changes: [String: String?]) -> String {  // Member names from this test.
        var members: [String: String?] = [  // As above.
            "email": #""ada@example.com""#, "password": #""correct horse""#, "name": #""Ada""#,
            "date_of_birth": #""1990-05-17""#,
        ]
        members.merge(changes) { $1 }
        return "{" + members.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }.joined(separator: ",")
            + "}"
    }

    static let refusals: [(String, String?, String)] = [
        ("email", nil, "'email' is required"), ("email", "5", "must be an address"),
        ("email", #""ada""#, "must be an address"), ("email", #""@b.c""#, "must be an address"),
        ("email", #""a@b""#, "must be an address"), ("email", #""a@b@c.d""#, "must be an address"),
        ("email", #""a @b.c""#, "must be an address"), ("email", #""a@b..c""#, "must be an address"),
        ("email", #""a@@b.c""#, "must be an address"), ("email", #""a@b.c@""#, "must be an address"),
        ("email", #""a\u0000@b.c""#, "must be an address"), ("email", #""a\u00a0@b.c""#, "must be an address"),
        ("email", "\"\(String(repeating: "a", count: 65))@b.c\"", "must be an address"),
        ("email", "\"a@\(String(repeating: "b", count: 251)).c\"", "must be an address"),
        ("password", nil, "'password' is required"), ("password", #""1234567""#, "8 to 200 characters"),
        ("password", "\"\(String(repeating: "p", count: 201))\"", "8 to 200 characters"),
        ("name", nil, "'name' is required"), ("name", #"" ""#, "blank"), ("name", #""""#, "1 to 100"),
        ("date_of_birth", nil, "'date_of_birth' is required"), ("date_of_birth", #""1990-02-30""#, "must be a date"),
        ("date_of_birth", #""2012-01-30""#, "at least 13 years ago"),
        ("date_of_birth", #""1899-12-31""#, "on or after 1900-01-01"), ("date_of_birth", "1990", "must be a date"),
        ("date_of_birth", #""1990-05-17T00:00:00Z""#, "must be a date"),
    ]

    @Test("The error for an invalid registration names the field", arguments: refusals)
    func refused(field: String, value: String?, message: String) {
        let refusal = refusal(try RegisterRequest(body: Self.registration([field: value]).bytes, at: Self.now))
        #expect(refusal?.status == .badRequest, "\(refusal as Any)")
        for part in [message, field] { #expect(refusal?.message.contains(part) == true, "\(refusal as Any)") }
    }

    @Test(
        "A registration with values at the limits is accepted",
        arguments: [
            ("email", "\"a@\(String(repeating: "b", count: 250)).c\""), ("email", #""ä+b@c.d""#),
            ("email", "\"\(String(repeating: "a", count: 64))@b.c\""),
            ("password", #""12345678""#), ("password", "\"\(String(repeating: "p", count: 200))\""),
            ("date_of_birth", #""2012-01-29""#), ("date_of_birth", #""1900-01-01""#),
        ])
    func accepted(field: String, value: String) throws {
        _ = try RegisterRequest(body: Self.registration([field: value]).bytes, at: Self.now)
    }

    static let profiles: [(Endpoint, String, String?)] = [
        (.createProfile, #"{"name":"A","preferred_unit_system":"metric"}"#, nil),
        (.createProfile, #"{"name":"A"}"#, "'preferred_unit_system' is required"),
        (.updateProfile, #"{"preferred_unit_system":"metric"}"#, "'name' is required"),
        (.updateProfile, #"{"name":"A","preferred_unit_system":"stone"}"#, "must be one of"),
        (.updateProfile, #"{"name":"A","preferred_unit_system":"metric","weight":0}"#, "'weight'"),
        (.createProfile, #"{"name":"A","preferred_unit_system":"metric","weight":0}"#, nil),
        (.updatePhysicalProfile, "{}", nil), (.updatePhysicalProfile, #"{"height_cm":301}"#, "from 1 to 300"),
        (.updatePhysicalProfile, #"{"date_of_birth":"2020-01-01"}"#, "13 years"),
        (.updatePhysicalProfile, #"{"name":5,"height_cm":null}"#, nil),
    ]

    @Test("Each profile endpoint reads its own fields", arguments: profiles)
    func profile(endpoint: Endpoint, body: String, message: String?) {
        let refusal = refusal(try ProfileRequest(body: body.bytes, of: endpoint, at: Self.now))
        #expect((refusal == nil) == (message == nil) && refusal?.status ?? .badRequest == .badRequest)
        #expect(refusal.map { $0.message.contains(message ?? "?") } ?? true, "\(refusal as Any)")
    }

    @Test("A profile that a person creates is no longer provisional")
    func provisional() throws {
        var details = ProfileDetails(name: "A")
        details.isProvisional = true
        try ProfileRequest(body: "{}".bytes, of: .updatePhysicalProfile, at: Self.now).apply(to: &details)
        #expect(details.isProvisional)
        let body = #"{"name":"A","preferred_unit_system":"metric"}"#.bytes
        try ProfileRequest(body: body, of: .createProfile, at: Self.now).apply(to: &details)
        #expect(!details.isProvisional)
    }

    @Test("A preference list has up to 100 strings of up to 100 characters")
    func preferences() throws {
        func read(_ count: Int, _ length: Int) throws {
            let text = "\"\(String(repeating: "a", count: length))\""
            let list = Array(repeating: text, count: count).joined(separator: ",")
            _ = try PreferencesRequest(body: "{\"allergies\":[\(list)]}".bytes)
        }
        try read(100, 100)
        for (count, length) in [(101, 1), (1, 0), (1, 101)] {
            #expect(throws: APIError.self) { try read(count, length) }
        }
        for body in [#"{"allergies":"a"}"#, #"{"allergies":[1]}"#, "[]"] {
            #expect(throws: APIError.self) { try PreferencesRequest(body: body.bytes) }
        }
    }

    @Test("A password hash is parsed only from its exact text")
    func hashes() throws {
        let hash = PasswordHash("p", salt: "s", cost: 7)
        #expect(PasswordHash(hash.text) == hash && hash.matches("p") && !hash.matches("P"))
        #expect(!PasswordHash.matchingNothing(cost: 1).matches(""))
        for text in [
            "", "pbkdf2-sha256$7$s", hash.text + "A", hash.text.replacing("$7$", with: "$0$"),
            hash.text.replacing("$7$", with: "$07$"), hash.text.replacing("$7$", with: "$100001$"),
            hash.text.replacing("$s$", with: "$$"), hash.text.replacing("$s$", with: "$$s$"),
            hash.text.replacing("sha256", with: "sha1"),
        ] { #expect(PasswordHash(text) == nil, "\(text)") }
    }
}
