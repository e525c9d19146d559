import Scenarios
import Sessions

/// A recorded session in a file, with the files beside it that Playwright makes of bodies and messages.
enum SessionFile {
    /// Reads a HAR; what is wrong with it is told with its place.
    static func read(_ path: String) throws(Failure) -> HARFile {
        let bytes = try InputFile.read(path, limit: HARLimits().bytes, orInherited: true)
        do throws(HARError) {
            return try HARFile(reading: bytes) { attachment($0, of: path) }
        } catch {
            throw .configuration(Messages.inFile(path, Messages.sentence(error.description)))
        }
    }

    /// Reads a session to play it back.
    ///
    /// - Parameter isTyped: whether the path is from the command line.
    static func recording(_ path: String, isTyped: Bool = false) throws(Failure) -> SessionReplay.Recording {
        let bytes = try InputFile.read(path, limit: HARLimits().bytes, orInherited: isTyped)
        do throws(SessionTrouble) {
            return try SessionReplay.Recording(readingHAR: bytes) { attachment($0, of: path) }
        } catch {
            throw .configuration(Messages.unplayable(path, error.description))
        }
    }

    /// What a session is called where a name is due: the last part of its path.
    static func name(of path: String) -> String {
        String((path.split(separator: "/").last.map(String.init) ?? path).prefix(100))
    }

    /// The path of a file in the folder of another one; an absolute one stays as it is.
    static func besides(_ file: String, _ path: String) -> String {
        guard !path.hasPrefix("/"), let slash = file.lastIndex(of: "/") else { return path }
        return file[...slash] + path
    }

    /// The bytes of a plain file in the folder of another; nil where there is none, or it cannot be read.
    static func attachment(_ name: String, of path: String) -> [UInt8]? {
        let other = besides(path, name)
        // Opening something else, such as a pipe, may wait for ever.
        guard FileStamp(other) != nil else { return nil }
        return try? InputFile.read(other, limit: HARLimits().bytes)
    }
}

extension ScenarioPlan {
    /// Reads the session that a scenario's file names.
    static func withSession(
        _ scenario: Scenario, from bytes: [UInt8], file: String
    ) throws(ScenarioErrors) -> Scenario {
        guard let replay = scenario.replay, let path = replay.unreadFile else { return scenario }
        var result = scenario
        do throws(Failure) {
            let recording = try SessionFile.recording(SessionFile.besides(file, path))
            result.replay = SessionReplay(.plan(recording.plan), settings: replay.settings)
        } catch {
            throw ScenarioErrors(
                path: "replay", message: error.message, in: String(decoding: bytes, as: UTF8.self), file: file)
        }
        return result
    }
}
