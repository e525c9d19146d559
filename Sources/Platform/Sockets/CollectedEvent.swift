#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// One descriptor that the system found ready, before it is matched with its registration.
struct CollectedEvent {
    struct Conditions: OptionSet {
        let rawValue: UInt8
        static let read = Conditions(rawValue: 1)
        static let write = Conditions(rawValue: 2)
        static let hangUp = Conditions(rawValue: 4)
        static let error = Conditions(rawValue: 8)
    }

    let descriptor: Int32
    let generation: UInt32
    let conditions: Conditions
}

/// The errno of a wait that a signal interrupted.
let interruptedCode = EINTR
