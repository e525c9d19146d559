extension Persona {
    /// The persona's picture: its initial on a coloured disc, as SVG.
    public var avatarImage: String {
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" aria-label="\(displayName)">\
        <circle cx="32" cy="32" r="32" fill="\(colour)"/>\
        <text x="32" y="42" font-family="sans-serif" font-size="28" fill="#fff" text-anchor="middle">\
        \(displayName.prefix(1))</text></svg>

        """
    }

    /// The colours that enhanced-consultations gives its personas: green, blue, purple, orange.
    private var colour: String {
        switch self {
        case .nutritionist: "#34c759"
        case .fitnessCoach: "#007aff"
        case .wellnessSpecialist: "#af52de"
        case .generalWellness: "#ff9500"
        }
    }
}
