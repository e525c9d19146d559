import Digests
import FitIQAPI
import JSON
import Nutrition
import Scenarios
import Text

let jsonWork: [Work] = [
    json("names") { numbered($0, from: "{", to: "\"\":0}") { "\"name\($0)\":0," } },
    json("a repeated name") { repeated("\"a\":0,", $0, from: "{", to: "\"a\":0}") },
    json("small objects") { repeated("{\"a\":0,\"a\":1,\"b\":2},", $0, from: "[", to: "0]") },
    json("empty arrays") { repeated("[],", $0, from: "[", to: "0]") },
    json("nesting") { bytes in
        let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
        return repeated(deep + ",", bytes, from: "[", to: "0]")
    },
    json("digits") { repeated("1", $0) }, json("decimals") { repeated("1", $0, from: "0.", to: "e-1") },
    json("an exponent") { repeated("1", $0, from: "1e") },
    json("zeros") { repeated("0", $0, from: "1") },
    json("escapes") { repeated("\\n", $0, from: "\"", to: "\"") },
    json("pairs of surrogates") { repeated("\\ud83d\\ude00", $0, from: "\"", to: "\"") },
    json("characters of four bytes") { repeated("\u{1F600}", $0, from: "\"", to: "\"") },
    json("spaces") { repeated(" ", $0, to: "1") },
    Work(name: "JSON, an error at the end") { bytes in
        let text = repeated("[],\n", bytes, from: "[")
        return { (try? JSON.parse(text)) == nil }
    },
]

private func json(_ name: String, _ input: @escaping @Sendable (Int) -> [UInt8]) -> Work {
    Work(name: "JSON, \(name)") { bytes in
        let text = input(bytes)
        return {
            guard let value = try? JSON.parse(text) else { return false }
            // Later uses of a number count as well.
            if let number = value.number { return number.int != 0 || number.double != 0 }
            return true
        }
    }
}

let yamlWork: [Work] = [
    yaml("keys") { numbered($0) { "key\($0): a\n" } },
    yaml("long keys") { numbered($0) { "\(String(repeating: "k", count: 1000))\($0): a\n" } },
    yaml("a list") { repeated("- a\n", $0) },
    yaml("a list in brackets") { repeated("a, ", $0, from: "[", to: "a]") },
    yaml("a mapping in braces") { numbered($0, from: "{", to: "a}") { "k\($0): a, " } },
    yaml("keys without values in braces") { numbered($0, from: "{", to: "a}") { "k\($0), " } },
    yaml("nesting in brackets") { bytes in
        let deep = String(repeating: "[", count: 60) + String(repeating: "]", count: 60)
        return repeated("- " + deep + "\n", bytes)
    },
    yaml("nesting in braces") { bytes in
        let deep = String(repeating: "{a: ", count: 60) + String(repeating: "}", count: 60)
        return repeated("- " + deep + "\n", bytes)
    },
    yaml("nesting in blocks") { repeated(String(repeating: "- ", count: 60) + "a\n", $0) },
    yaml("anchors") { numbered($0) { "- &a\($0) b\n" } },
    yaml("an anchor again and again") { repeated("- &a b\n", $0) },
    yaml("aliases") { repeated("- *a\n", $0, from: "- &a [b, b, b]\n") },
    yaml("aliases of aliases") { numbered($0, from: "- &a0 b\n") { "- &a\($0 + 1) [*a\($0 / 8)]\n" } },
    yaml("a plain text") { repeated("a ", $0, from: "- a") },
    yaml("lines of a plain text") { repeated("a\n  ", $0, from: "- a") },
    yaml("empty lines in a plain text") { repeated("\n", $0, from: "- a", to: "  a") },
    yaml("escapes") { repeated("\\n", $0, from: "- \"", to: "\"") },
    yaml("lines of a quoted text") { repeated("a\n  ", $0, from: "- \"", to: "\"") },
    yaml("a block of text") { repeated("  a\n", $0, from: "- |\n") },
    yaml("a folded block of text") { repeated("  a\n", $0, from: "- >\n") },
    yaml("empty lines in a block of text") { repeated("\n", $0, from: "- |\n  a\n") },
    yaml("comments") { repeated("# a\n", $0, to: "- a") },
    yaml("tags") { repeated("- !!str a\n", $0) },
    Work(name: "YAML, too many directives") { bytes in
        let text = numbered(max(bytes, 4096), to: "---\na\n") { "%TAG !t\($0)! tag:a,2000:\n" }
        return { (try? JSONValue(yaml: text)) == nil }
    },
    scenario("users") { numbered($0, from: "name: a\nusers:\n") { "- id: u\($0)\n" } },
    scenario("goals") { numbered($0, from: "name: a\nusers:\n") { "- id: u\($0)\n  goals: [{title: a}]\n" } },
    scenario("messages") { bytes in
        let start = "name: a\nusers:\n- id: u\n  consultations:\n  - persona: nutritionist\n    messages:\n"
        return repeated("    - user: a\n", bytes, from: start)
    },
    scenario("meals") { bytes in
        repeated("  - {text: 2 eggs, meal_type: lunch}\n", bytes, from: "name: a\nusers:\n- id: u\n  meal_logs:\n")
    },
    Work(name: "scenario, of unknown names") { bytes in
        let text = numbered(bytes, from: "name: a\n") { "users\($0): a\n" }
        return { (try? Scenario.read(text)) == nil }
    },
]

private func scenario(_ name: String, _ input: @escaping @Sendable (Int) -> [UInt8]) -> Work {
    Work(name: "scenario, \(name)") { bytes in
        let text = input(bytes)
        return { (try? Scenario.read(text)) != nil }
    }
}

private func yaml(_ name: String, _ input: @escaping @Sendable (Int) -> [UInt8]) -> Work {
    Work(name: "YAML, \(name)") { bytes in
        let text = input(bytes)
        return { (try? JSONValue(yaml: text)) != nil }
    }
}

/// Encodings of texts, and forms.
let textWork: [Work] = [
    Work(name: "base64, of the usual alphabet") { bytes in
        let text = String(decoding: repeated("aGk1", bytes), as: UTF8.self)
        return { Base64.decode(text) != nil }
    },
    Work(name: "base64, of URLs") { bytes in
        let text = String(decoding: repeated("aGk1", bytes), as: UTF8.self)
        return { Base64.decodeURL(text) != nil }
    },
    percent("escapes", "%41"), percent("percent signs", "%"), percent("torn escapes", "%4"),
    percent("items", "a=b&"), percent("items without names", "&"), percent("equals signs", "="),
    Work(name: "URL, delimiters") { bytes in
        let text = String(decoding: repeated("/a?#@:", bytes, from: "http://"), as: UTF8.self)
        return { URLParts(text).path.isEmpty == false }
    },
    Work(name: "meal, words") { bytes in
        let text = String(decoding: repeated("2 eggs and ", bytes), as: UTF8.self)
        return { !MealParser.parse(text).items.isEmpty }
    },
    form("\r\n--xx"), form("\r\n"), form("\r\n\r\n"), form("\r\n--x y"),
]

private func percent(_ name: String, _ piece: String) -> Work {
    Work(name: "percent-encoding, \(name)") { bytes in
        let text = repeated(piece, bytes)
        return {
            text.withUnsafeBufferPointer { text in
                _ = PercentCoding.items(text)
                return !PercentCoding.string(text, plusIsSpace: true).isEmpty
            }
        }
    }
}

/// A photo that repeats a piece which is nearly a boundary.
private func form(_ piece: String) -> Work {
    Work(name: "multipart, a photo of \(piece.debugDescription)") { bytes in
        let head = "--x yz\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\n"
        let body = repeated(piece, bytes, from: head, to: "\r\n--x yz--")
        return { (try? MealPhotoRequest(body: body, contentType: "multipart/form-data; boundary=\"x yz\"")) != nil }
    }
}
