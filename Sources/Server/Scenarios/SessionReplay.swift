import FitIQBackend
import Replay
import Sessions

/// A recorded session that a world plays back: `replay:` of a scenario.
public struct SessionReplay: Sendable, Equatable {
    /// What is played back.
    public var session: Source
    /// How.
    public var settings: ReplaySettings

    /// Where a session is.
    public enum Source: Sendable, Equatable {
        /// In a file that nobody has read yet; a relative path begins where the scenario's file is.
        case file(String)
        /// Here, ready to be played.
        case plan(ReplayPlan)
    }

    /// Plays a session back.
    public init(_ session: Source, settings: ReplaySettings = ReplaySettings()) {
        self.session = session
        self.settings = settings
    }

    /// The path of the session where it is yet to be read.
    public var unreadFile: String? {
        guard case .file(let path) = session else { return nil }
        return path
    }

    /// A session ready to be played, with what there is to say of the file that it is from.
    public struct Recording: Sendable {
        /// The session.
        public let plan: ReplayPlan
        /// What the file lacks, or what was repaired in it; a sentence each.
        public let notes: [String]

        /// Reads a HAR as Chrome, Firefox, mitmproxy, Playwright and this program write it.
        ///
        /// - Parameter attachment: the bytes of a file beside it, by its name; nil where there is none.
        /// - Throws: what is wrong with it, at most 256 MiB; or why it cannot be played back (``ReplayError``).
        public init(
            readingHAR bytes: [UInt8], attachment: @escaping (String) -> [UInt8]? = { _ in nil }
        ) throws(SessionTrouble) {
            let file: HARFile
            do throws(HARError) {
                file = try HARFile(reading: bytes, attachment: attachment)
            } catch {
                throw SessionTrouble(description: error.description)
            }
            do throws(ReplayError) {
                plan = try ReplayPlan(file.session)
            } catch {
                throw SessionTrouble(description: error.description)
            }
            notes = file.notes.map(\.description) + plan.notes
        }
    }
}

/// Why a session cannot be played back.
public struct SessionTrouble: Error, Sendable, Equatable, CustomStringConvertible {
    /// A sentence: where in the file, what is wrong, what was expected.
    public let description: String
}

extension Scenario {
    /// The keys of a scenario that mean nothing beside a session: what a world has and does that answers by itself.
    static let keysWithoutReplay = ["token_lifetime", "users", "pauses", "answers", "meals", "issued_ids"]

    /// Whether it has none of its own users, answers and meals, so that a session can be played back in it.
    public var canReplay: Bool {
        data == WorldData() && script == Script() && tokenLifetime == nil && replay == nil
    }
}
