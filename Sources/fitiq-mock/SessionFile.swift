import Scenarios
import Sessions

/// A recorded session in a file.
enum SessionFile {
    /// Reads a session to play it back.
    ///
    /// Playwright leaves bodies and messages in files beside the HAR, which are read with it.
    static func read(_ path: String) throws(Failure) -> SessionReplay.Recording {
        let limit = HARLimits().bytes
        let bytes = try InputFile.read(path, limit: limit)
        do throws(SessionTrouble) {
            return try SessionReplay.Recording(readingHAR: bytes) { name in
                try? InputFile.read(besides(path, name), limit: limit)
            }
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
}

extension ScenarioPlan {
    /// Reads the session that a scenario's file names.
    static func withSession(
        _ scenario: Scenario, from bytes: [UInt8], file: String
    ) throws(ScenarioErrors) -> Scenario {
        guard let replay = scenario.replay, let path = replay.unreadFile else { return scenario }
        var result = scenario
        do throws(Failure) {
            let recording = try SessionFile.read(SessionFile.besides(file, path))
            result.replay = SessionReplay(.plan(recording.plan), settings: replay.settings)
        } catch {
            throw ScenarioErrors(
                path: "replay", message: error.message, in: String(decoding: bytes, as: UTF8.self), file: file)
        }
        return result
    }
}
