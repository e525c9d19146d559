import Scenarios
import Text
import Traffic

/// Reads a recorded session from a file and from the attached files where Playwright stores bodies and messages.
enum SessionFile {
    static func read(_ path: String) throws(Failure) -> HARFile {
        let bytes = try InputFile.read(path, limit: HARLimits().bytes, orInherited: true)
        return try orFailure(try HARFile(reading: bytes) { attachment($0, of: path) }) { (error: Refusal) in
            .configuration(Messages.inFile(path, Messages.sentence(error.description)))
        }
    }

    static func tellNotes(of file: HARFile, named path: String) {
        for note in file.notes { FitIQMock.printError(Messages.inFile(path, Messages.sentence(note.description))) }
    }

    /// Reads a session to replay.
    static func recording(
        _ path: String, isTyped: Bool = false, prefix: PathPrefix? = nil
    ) throws(Failure) -> SessionReplay.Recording {
        let bytes = try InputFile.read(path, limit: HARLimits().bytes, orInherited: isTyped)
        return try orFailure(
            try SessionReplay.Recording(readingHAR: bytes, prefix: prefix) { attachment($0, of: path) }
        ) {
            (error: Refusal) in .configuration("cannot play '\(path)' back: \(error.description)")
        }
    }

    static func prefix(_ text: String?) throws(Failure) -> PathPrefix? {
        guard let text else { return nil }
        guard let prefix = PathPrefix(text) else { throw .configuration(Messages.badPrefix(text)) }
        return prefix
    }

    static func name(of path: String) -> String {
        String((path.split(separator: "/").last.map(String.init) ?? path).prefix(100))
    }

    /// Resolves a path relative to another file's folder; an absolute path stays unchanged.
    static func besides(_ file: String, _ path: String) -> String {
        guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
        return file[...slash] + path
    }

    /// Returns the bytes of a regular file next to another file, or nil if it cannot be read.
    static func attachment(_ name: String, of path: String) -> [UInt8]? {
        let other = besides(path, name)
        // Opening anything else, such as a pipe, may block forever.
        guard FileStamp(other) != nil else { return nil }
        return try? InputFile.read(other, limit: HARLimits().bytes)
    }
}

/// Reads and writes files that contain changes to the fake's answers.
enum OverlayFile {
    static func read(_ path: String, isTyped: Bool = false) throws(Failure) -> Overlay {
        let bytes = try InputFile.read(path, limit: ScenarioLimits.fileBytes, orInherited: isTyped)
        return try orMistakes(in: path, try Overlay.read(bytes, file: path))
    }

    /// The file's text; rejects an overlay that could not be read again.
    static func text(_ overlay: Overlay, about title: String) throws(Failure) -> [UInt8] {
        let bytes = ScenarioDocument.text(overlay.json, comments: [Messages.overlayComment(title)])
        _ = try orFailure(try Overlay.read(bytes)) { (error: ScenarioErrors) in
            .configuration("the deviations cannot be written as a readable overlay: \(error.description)")
        }
        return bytes
    }
}

extension ScenarioPlan {
    /// Reads the files that a scenario names: its session and its overlay.
    static func withFiles(_ scenario: Scenario, from bytes: [UInt8], file: String) throws(ScenarioErrors) -> Scenario {
        var result = scenario
        var key = "replay"
        do throws(Failure) {
            if let replay = scenario.replay, let path = replay.unreadFile {
                let recording = try SessionFile.recording(SessionFile.besides(file, path))
                result.replay = SessionReplay(.plan(recording.plan), settings: replay.settings)
            }
            key = "overlay"
            if let path = scenario.unreadOverlay {
                result.overlay = try OverlayFile.read(SessionFile.besides(file, path))
                result.unreadOverlay = nil
            }
        } catch {
            throw ScenarioErrors(
                path: key, message: error.message, in: String(decoding: bytes, as: UTF8.self), file: file)
        }
        return result
    }
}

/// Distinguishes a HAR from a journal while reading, by the member `log` of a HAR's outermost object.
struct SessionSniffer {
    enum Kind { case session, journal }

    /// The kind, or nil while it is uncertain.
    private(set) var kind: Kind?
    private var depth = 0
    /// Whether a string that starts here, in the outermost object, is a member name.
    private var isNameNext = false
    private var isInString = false
    private var isEscaped = false
    /// The start of the current name, or nil within other strings.
    private var name: [UInt8]?
    private static let log = Array("log".utf8)
    private static let mark: Set<UInt8> = [0xEF, 0xBB, 0xBF]

    /// Examines more bytes until the kind is certain.
    mutating func look(at bytes: ArraySlice<UInt8>) {
        for byte in bytes {
            if kind != nil { return }
            if isInString { lookInString(byte) } else { look(at: byte) }
        }
    }

    private mutating func lookInString(_ byte: UInt8) {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\"") {
            isInString = false
            if name == Self.log { kind = .session }
            name = nil
            return
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        }
        if let count = name?.count, count <= Self.log.count { name?.append(byte) }
    }

    private mutating func look(at byte: UInt8) {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"): break
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            // A HAR is an object, and so is each line of a journal.
            if depth == 0, byte != UInt8(ascii: "{") { kind = .journal }
            depth += 1
            isNameNext = depth == 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            isNameNext = false
            if depth <= 0 { kind = .journal }
        case UInt8(ascii: ","): isNameNext = depth == 1
        case UInt8(ascii: "\""):
            if depth == 0 { kind = .journal }
            isInString = true
            name = isNameNext ? [] : nil
            isNameNext = false
        // No journal is UTF-16. The session reader reports the mistake.
        case 0xFF, 0xFE: if depth == 0 { kind = .session }
        case 0: if depth == 0 || isNameNext { kind = .session }
        default: if depth == 0, !Self.mark.contains(byte) { kind = .journal }
        }
    }
}
