import JSON
import Replay

extension SessionReplay {
    /// Reads `replay:`, a path or a mapping.
    static func read(_ cursor: Cursor) -> SessionReplay? {
        guard case .mapping = cursor.node.content else {
            return source(cursor).map { SessionReplay($0) }
        }
        guard let fields = Fields(cursor, as: .replay) else { return nil }
        var settings = ReplaySettings()
        if let match = fields["match"]?.choice(of: ReplaySettings.Match.self) { settings.match = match }
        if let speed = fields["speed"].flatMap(ReplaySettings.Speed.read) { settings.speed = speed }
        if let frames = fields["frames"]?.choice(of: ReplaySettings.FrameOrder.self) { settings.frames = frames }
        guard let session = fields.required("session", Messages.session).flatMap(source) else { return nil }
        return SessionReplay(session, settings: settings)
    }

    private static func source(_ cursor: Cursor) -> Source? {
        guard case .mapping = cursor.node.content else {
            return cursor.text(1...ScenarioLimits.sessionPath, bytes: ScenarioLimits.sessionPath).map { .file($0) }
        }
        do throws(SessionTrouble) {
            return .plan(try Recording(readingHAR: cursor.node.json.encoded()).plan)
        } catch {
            cursor.refuse(Messages.badSession(error.description))
            return nil
        }
    }
}

extension ReplaySettings.Speed {
    fileprivate static func read(_ cursor: Cursor) -> ReplaySettings.Speed? {
        if cursor.written == "instant" { return .instant }
        guard let factor = cursor.number?.double, ScenarioLimits.replaySpeed.contains(factor) else {
            cursor.refuse(expected: Messages.speed)
            return nil
        }
        return .factor(factor)
    }
}

extension Node {
    /// The value as JSON has it.
    fileprivate var json: JSONValue {
        switch content {
        case .null: .null
        case .plain("true"): true
        case .plain("false"): false
        case .plain(let text): JSONNumber(text).map { .number($0) } ?? .string(text)
        case .text(let text): .string(text)
        case .list(let elements): .array(elements.map(\.json))
        case .mapping(let members):
            .object(JSONObject(members.map { ($0.key, $0.value.json) }))
        }
    }
}
