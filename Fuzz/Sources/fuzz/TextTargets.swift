import HTTP1
import JSON
import Nutrition
import Scenarios
import TLS
import Text

enum TextTargets {
    /// The text written for a value reads as the same value, and is written the same again.
    static func json(_ bytes: [UInt8]) {
        guard let value = try? JSON.parse(bytes) else { return }
        let written = value.encoded()
        for text in [written, value.encoded(indent: 2)] {
            guard let again = try? JSON.parse(text) else { fail("what was written does not read") }
            require(again.isExactly(value), "\(again) is not \(value)")
            require(again.encoded(), is: written, "written again")
        }
    }

    /// The YAML written for a tree reads as the same tree.
    static func yaml(_ bytes: [UInt8]) {
        guard let value = try? JSONValue(yaml: bytes), value.object != nil else { return }
        let text = ScenarioDocument.text(value, comments: ["a comment"])
        if text.starts(with: Array("# ".utf8)) {
            guard let again = try? JSONValue(yaml: text) else { fail("what was written does not read: \(value)") }
            return require(again, is: value, "written and read")
        }
        // Inputs are too short for many values.
        require(value.object?.isEmpty ?? false || hasLongKey(value), "\(value) was written as JSON without need")
        require(text, is: value.encoded() + [0x0A], "written as JSON")
    }

    /// Whether a key may be too long for YAML.
    ///
    /// YAML reads 1,024 characters of a key; JSON writes at most six for a byte.
    private static func hasLongKey(_ value: JSONValue) -> Bool {
        if let object = value.object {
            return object.contains { $0.key.utf8.count > 1024 / 6 || hasLongKey($0.value) }
        }
        return value.array?.contains(where: hasLongKey) ?? false
    }

    /// The parts of a URL make the URL; decoding reverses encoding; a target is written as it was read.
    static func url(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let url = URLParts(text)
        let joined =
            "\(url.origin)\(url.path)" + (url.query.map { "?\($0)" } ?? "") + (url.fragment.map { "#\($0)" } ?? "")
        require(Array(joined.utf8), is: Array(text.utf8), "the parts of a URL")
        if let parts = url.authority.flatMap({ HostAndPort($0) }), let port = parts.portNumber {
            require(parts.port.flatMap { UInt16($0) }, is: port, "a port")
        }
        let encoded = PercentCoding.encoded(text)
        require(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(encoded) is not visible ASCII")
        require(
            Array(PercentCoding.string(encoded[...].utf8, plusIsSpace: false).utf8), is: Array(text.utf8), "decoded")
        guard let target = try? RequestTarget(parsing: text), target.form == .origin else { return }
        guard let again = try? RequestTarget(parsing: "\(target)") else { return }
        require("\(again)", is: "\(target)", "a request target")
    }

    /// Stays within the limits; quantities are positive, and confidences are from 0 to 1.
    static func meal(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let meal = MealParser.parse(text)
        require(meal.items.count <= MealParser.maximumItems, "\(meal.items.count) items")
        require(meal.unknown.count <= MealParser.maximumUnknownWords, "\(meal.unknown.count) unknown words")
        require(MealParser.parse(text), is: meal, "parsed again")
        for item in meal.items { require(item.quantity > 0 && (0...1).contains(item.confidence), "\(item)") }
    }

    /// A file of certificates, repeated, has each certificate twice.
    static func pem(_ bytes: [UInt8]) {
        guard let facts = try? CertificateFacts.read(pem: bytes) else { return }
        require(!facts.isEmpty, "no certificate, and no error")
        guard let twice = try? CertificateFacts.read(pem: bytes + [0x0A] + bytes) else { fail("twice is an error") }
        require(twice, is: facts + facts, "twice")
    }
}
