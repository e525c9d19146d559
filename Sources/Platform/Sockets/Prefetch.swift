import CPlatform

/// Has the processor fetch the memory at an address while the program continues.
///
/// The objects of thousands of connections do not fit into the processor's caches: without this, a loop over them waits
/// for each. Nothing is read, so any address will do.
///
/// - Parameter lines: How many lines of 64 bytes: that of the address, and those that follow.
public func prefetch(_ address: UnsafeRawPointer, lines: Int) {
    for line in 0..<lines { cplatform_prefetch(address + 64 * line) }
}
