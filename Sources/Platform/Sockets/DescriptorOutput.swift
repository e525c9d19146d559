import CPlatform

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Writing to descriptors that cannot be written at places: pipes, terminals, devices, and the standard streams.
public enum DescriptorOutput {
    /// Writes all of the bytes, and waits where there is no room for now; the errno of the failure, or 0.
    ///
    /// It waits too where a program that shares the descriptor has made it non-blocking.
    public static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if count == 0 {
                    return ENOSPC
                } else if errno == EAGAIN {
                    DescriptorOutput.wait(for: Int16(POLLOUT), on: descriptor)
                } else if errno != EINTR {
                    return errno
                }
            }
            return 0
        }
    }

    /// Waits until the descriptor is ready, however long that takes.
    static func wait(for events: Int16, on descriptor: Int32) {
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        // Where it fails, the caller's next attempt says why.
        _ = cplatform_poll(&entry, 1, -1)
    }

    private static func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        write(descriptor, bytes.baseAddress, bytes.count)
    }
}
