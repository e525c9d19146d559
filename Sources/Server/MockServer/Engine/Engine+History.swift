import FitIQAPI
import FitIQBackend
import JSON

extension Engine {
    /// What a world has stored of a consultation, oldest first, without a request; empty where there is no such consultation.
    public func storedMessages(ofConsultation consultation: String, inWorld id: String) -> [Message] {
        worlds.named(id)?.backend.history(ofConsultation: consultation) ?? []
    }
}
