import FitIQAPI
import JSON

/// A point in a world's life with a name.
struct Mark {
    let name: ExactString
    /// The number of the journal's last entry then.
    let number: Int
    /// By the world's clock.
    let time: Timestamp
}
