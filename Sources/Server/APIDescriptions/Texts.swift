// The members of these types are generated, one file for each: see the folder Generated.

enum OpenAPITexts {
    static func text(for mode: Mode) -> StaticString {
        switch mode {
        case .union: union
        case .consultationWebsocket: consultationWebsocket
        case .enhancedConsultations: enhancedConsultations
        case .goalLinking: goalLinking
        case .websocketArchitecture: websocketArchitecture
        case .mealLogWebsocket: mealLogWebsocket
        }
    }
}

enum AsyncAPITexts {
    static func text(for mode: Mode) -> StaticString {
        switch mode {
        case .union: union
        case .consultationWebsocket: consultationWebsocket
        case .enhancedConsultations: enhancedConsultations
        case .goalLinking: goalLinking
        case .websocketArchitecture: websocketArchitecture
        case .mealLogWebsocket: mealLogWebsocket
        }
    }
}

enum DocumentationTexts {
    static func text(for mode: Mode) -> StaticString {
        switch mode {
        case .union: union
        case .consultationWebsocket: consultationWebsocket
        case .enhancedConsultations: enhancedConsultations
        case .goalLinking: goalLinking
        case .websocketArchitecture: websocketArchitecture
        case .mealLogWebsocket: mealLogWebsocket
        }
    }
}
