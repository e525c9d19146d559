/// A description of the API that the server hands out, in the form of each guide mode.
///
/// The texts are part of the binary: nothing is read from disk, and nothing happens before one is asked for.
public enum APIDescription: CaseIterable, Sendable {
    /// `/openapi.yaml`: the REST endpoints, OpenAPI 3.1.
    case openAPI
    /// `/asyncapi.yaml`: the WebSocket and its frames, AsyncAPI 3.0.
    case asyncAPI
    /// `/docs`: both for people, as one HTML file that fetches nothing.
    case documentation

    /// The names of the modes that are described, `union` first; a guide's mode has the guide's short name.
    public static let modeNames = Mode.allCases.map(\.rawValue)

    /// The value of `Content-Type`.
    public var mediaType: String {
        switch self {
        case .openAPI, .asyncAPI: "application/yaml"
        case .documentation: "text/html; charset=utf-8"
        }
    }

    /// The description as a mode has it, in UTF-8.
    ///
    /// - Parameter modeName: one of ``modeNames``; another one is a mistake of the caller's.
    public func text(for modeName: String) -> StaticString {
        guard let mode = Mode(rawValue: modeName) else {
            preconditionFailure("There is no mode \(modeName); the described ones are \(Self.modeNames).")
        }
        return switch self {
        case .openAPI: OpenAPITexts.text(for: mode)
        case .asyncAPI: AsyncAPITexts.text(for: mode)
        case .documentation: DocumentationTexts.text(for: mode)
        }
    }

    /// `/__admin/openapi.yaml`: the admin API, OpenAPI 3.1, the same in every mode, in UTF-8.
    public static var adminOpenAPI: StaticString { OpenAPITexts.admin }

    /// The same as bytes, copied.
    public static var adminOpenAPIBytes: [UInt8] { adminOpenAPI.withUTF8Buffer(Array.init) }

    /// The description as a mode has it, as bytes, copied.
    ///
    /// - Parameter modeName: one of ``modeNames``; another one is a mistake of the caller's.
    public func bytes(for modeName: String) -> [UInt8] {
        text(for: modeName).withUTF8Buffer(Array.init)
    }
}

/// The modes, under the names that `--guide` takes.
enum Mode: String, CaseIterable {
    case union
    case consultationWebsocket = "consultation-websocket"
    case enhancedConsultations = "enhanced-consultations"
    case goalLinking = "goal-linking"
    case websocketArchitecture = "websocket-architecture"
    case mealLogWebsocket = "meal-log-websocket"
}
