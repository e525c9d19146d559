import Foundation

/// The processor time of the calling thread: what others do on the machine does not count.
package enum ThreadTime {
    /// Seconds that the thread has computed.
    package static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
