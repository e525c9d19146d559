import JSON

/// Bodies of requests: the forms of the union, which every guide's backend takes.
enum Body {
    static func object(_ members: [(key: String, value: String)]) -> [UInt8] {
        JSONValue.object(JSONObject(members.map { (key: $0.key, value: JSONValue.string($0.value)) })).encoded()
    }
}
