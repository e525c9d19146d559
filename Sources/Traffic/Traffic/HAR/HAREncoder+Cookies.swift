import JSON

/// The cookies of a message, which tools show separately from its fields.
extension HAREncoder {
    /// Writes the cookies of a request: `Cookie`, RFC 6265 §4.2.1.
    static func writeCookies(of request: SessionRequest, to writer: inout JSONWriter) {
        writer.array("cookies") { writer in
            for field in request.fields where field.name.lowercased() == "cookie" {
                for pair in field.value.split(separator: ";") where !trimmed(pair).isEmpty {
                    writer.object { writer in write(pair, to: &writer) }
                }
            }
        }
    }

    /// Writes the cookies of a response: `Set-Cookie`, RFC 6265 §4.1.1.
    ///
    /// `Expires` stays only in the field, since HAR does not accept dates of that form.
    static func writeCookies(of response: SessionResponse, to writer: inout JSONWriter) {
        writer.array("cookies") { writer in
            for field in response.fields where field.name.lowercased() == "set-cookie" {
                let parts = field.value.split(separator: ";", omittingEmptySubsequences: false)
                if trimmed(parts[0]).isEmpty { continue }
                writer.object { writer in
                    write(parts[0], to: &writer)
                    write(attributes: parts.dropFirst().map(nameAndValue), to: &writer)
                }
            }
        }
    }

    private static func write(attributes: [(name: Substring, value: Substring)], to writer: inout JSONWriter) {
        // "The last attribute counts" (RFC 6265 §5.3).
        func value(of name: String) -> String? {
            attributes.last { $0.name.lowercased() == name }.map { String($0.value) }
        }
        writer.member("path", ifPresent: value(of: "path"))
        writer.member("domain", ifPresent: value(of: "domain"))
        writer.member("httpOnly", value(of: "httponly") != nil)
        writer.member("secure", value(of: "secure") != nil)
    }

    private static func write(_ pair: Substring, to writer: inout JSONWriter) {
        let (name, value) = nameAndValue(pair)
        writer.member("name", String(name))
        writer.member("value", String(value))
    }

    /// Both sides of the first `=`, without the spaces around them.
    private static func nameAndValue(_ pair: Substring) -> (name: Substring, value: Substring) {
        guard let sign = pair.firstIndex(of: "=") else { return (trimmed(pair), "") }
        return (trimmed(pair[..<sign]), trimmed(pair[pair.index(after: sign)...]))
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text.drop { $0 == " " || $0 == "\t" }
        while let last = text.last, last == " " || last == "\t" { text.removeLast() }
        return text
    }
}
