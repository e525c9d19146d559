import Foundation
import JSON

/// A JSON example as a guide prints it: a file below `Fixtures/guides`.
package struct GuideFixture: Sendable, Hashable, CustomStringConvertible {
    /// The guide's short name: `goal-linking`.
    package let guide: String
    /// The file's name without `.json`: `chat-about-goal.request`.
    package let name: String

    /// Names an example, whose existence is checked only when it is read.
    package init(_ guide: String, _ name: String) {
        (self.guide, self.name) = (guide, name)
    }

    package static let directory = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures/guides")

    package static let all: [GuideFixture] = {
        let paths = (try? FileManager.default.subpathsOfDirectory(atPath: directory.path)) ?? []
        return paths.filter { $0.hasSuffix(".json") }.sorted().compactMap { path in
            let parts = path.split(separator: "/")
            return parts.count == 2 ? GuideFixture(String(parts[0]), String(parts[1].dropLast(5))) : nil
        }
    }()

    package var data: Data {
        get throws { try Data(contentsOf: Self.directory.appending(path: "\(guide)/\(name).json")) }
    }

    /// The printed JSON, parsed strictly.
    package var value: JSONValue { get throws { try JSON.parse(Array(data)) } }

    package var description: String { "\(guide)/\(name)" }
}
