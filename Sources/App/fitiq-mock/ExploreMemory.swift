import CLibrary
import ContractSuite
import FitIQAPI
import JSON
import MockServer
import Sockets
import Synchronization
import Text

/// The file of `--resume`: a line that says what is explored, then a line for each run with what it taught.
///
/// Each of these ends with a number for its bytes, so that a line that was changed is noticed. The file is read once and then appended to; a line that was cut off, as when the program is killed, is dropped.
final class ExploreMemory: TrialMemory {
    private struct State {
        var lessons: [ExactString: Lesson] = [:]
        var lineCount = 0
    }

    private let path: String
    private let file: Int32
    private let state: Mutex<State>
    private static let format = 2

    /// What has to be the same for runs to be the same.
    struct Identity {
        let seed: UInt64
        /// The options that decide what is tried, and how it is judged.
        let options: [String]
        /// The command, and the scenario in which it runs.
        let base: [String]

        fileprivate var header: JSONObject {
            [
                "format": .number(JSONNumber(ExploreMemory.format)), "seed": .string("\(seed)"),
                "options": .string(Self.mark(options)), "base": .string(Self.mark(base)),
            ]
        }

        private static func mark(_ texts: [String]) -> String {
            // No text has a NUL.
            String(ExploreMemory.mark(texts.joined(separator: "\0").utf8))
        }
    }

    /// Opens a memory, or begins one.
    ///
    /// - Throws: A mistake in the configuration if it is the memory of another exploration, or too large.
    init(_ path: String, of identity: Identity) throws(Failure) {
        var lessons: [ExactString: Lesson] = [:]
        var count = 0
        var end = 0
        if InputFile.exists(path) {
            let bytes = try InputFile.read(path, limit: ExploreLimits.memoryBytes)
            for line in bytes.split(separator: .lineFeed, omittingEmptySubsequences: false).dropLast() {
                end += line.count + 1
                count += 1
                if count == 1 {
                    try Self.check(Array(line), of: bytes, path, identity)
                } else if let (key, lesson) = Self.checked(line).flatMap(Lesson.read) {
                    lessons[ExactString(key)] = lesson
                } else {
                    throw .configuration(Messages.damagedMemory(path, line: count))
                }
            }
            guard count > 0 || bytes.isEmpty else { throw .configuration(Messages.notMemory(path)) }
            if end < bytes.count { FitIQMock.printError(Messages.cutMemory(path)) }
            guard count <= ExploreLimits.rememberedRuns else {
                throw .configuration(Messages.fullMemory(path, runs: ExploreLimits.rememberedRuns))
            }
        }
        self.path = path
        file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
        // What has no end is not a line.
        guard file >= 0, ftruncate(file, off_t(end)) == 0 else {
            throw .configuration(Messages.unwritable(path, reason: String(cString: strerror(errno))))
        }
        state = Mutex(State(lessons: lessons, lineCount: max(count, 1)))
        if count == 0 { try append(JSONValue.object(identity.header).encoded()) }
    }

    deinit { close(file) }

    /// - Parameter file: The whole file; a lesson in it shows that it is a memory, even if the first line is damaged.
    private static func check(
        _ line: [UInt8], of file: [UInt8], _ path: String, _ identity: Identity
    ) throws(Failure) {
        guard let header = (try? JSON.parse(line))?.object, header["format"]?.int == Self.format else {
            let isMemory = file.split(separator: .lineFeed).contains { checked($0) != nil }
            throw .configuration(isMemory ? Messages.damagedMemory(path, line: 1) : Messages.notMemory(path))
        }
        let names = [("seed", "the seed"), ("options", "an option"), ("base", "the command or its scenario")]
        let differing = names.filter { header[$0.0] != identity.header[$0.0] }.map(\.1)
        guard differing.isEmpty else { throw .configuration(Messages.otherMemory(path, differing)) }
    }

    func lesson(of key: String) -> Lesson? { state.withLock { $0.lessons[ExactString(key)] } }

    /// Keeps a lesson; a full memory keeps no more.
    func keep(_ lesson: Lesson, of key: String) throws {
        let hasRoom = state.withLock { state in
            guard state.lineCount < ExploreLimits.rememberedRuns else { return false }
            state.lineCount += 1
            return true
        }
        guard hasRoom else { return }
        let line = lesson.line(of: key)
        try append(line + [.space] + Self.mark(line))
    }

    /// The line without its mark; nil if it has another.
    private static func checked(_ line: ArraySlice<UInt8>) -> [UInt8]? {
        guard let end = line.lastIndex(of: .space) else { return nil }
        let lesson = Array(line[..<end])
        return line[(end + 1)...].elementsEqual(mark(lesson)) ? lesson : nil
    }

    private static func mark(_ bytes: some Sequence<UInt8>) -> String.UTF8View { String(bytes.fnv1a, radix: 16).utf8 }

    private func append(_ line: [UInt8]) throws(Failure) {
        let code = DescriptorOutput.writeAll(line + [.lineFeed], to: file)
        guard code == 0 else { throw .running(Messages.unwritable(path, reason: String(cString: strerror(code)))) }
    }
}
