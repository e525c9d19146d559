import FitIQAPI

extension Backend {
    /// The messages of a consultation, whoever's it is, oldest first; an answer that streams is none yet.
    ///
    /// Nil where there is no such consultation.
    package func history(ofConsultation id: String) -> [Message]? {
        ResourceID(id.lowercased()).flatMap { positions[$0] }.map { consultations[$0].history.messages }
    }
}
