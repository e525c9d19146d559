import CPlatform

/// Makes the processor fetch the memory at an address in the background.
///
/// Thousands of connections do not fit into the processor's caches, so a loop over them would wait for memory at each.
/// The program itself reads nothing, so any address is safe.
///
/// - Parameter lines: The number of 64-byte cache lines to fetch, starting at the address.
public func prefetch(_ address: UnsafeRawPointer, lines: Int) {
    for line in 0..<lines { cplatform_prefetch(address + 64 * line) }
}
