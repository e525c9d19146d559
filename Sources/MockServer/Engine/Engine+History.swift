import FitIQAPI
import FitIQBackend

extension Engine {
    /// What a world has stored of a consultation, oldest first, without a request; empty where there is no such consultation.
    public func storedMessages(ofConsultation consultation: String, inWorld id: String) -> [Message] {
        (id == World.defaultID ? defaultWorld : worlds[id])?.backend.history(ofConsultation: consultation) ?? []
    }
}
