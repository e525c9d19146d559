import Foundation

/// The processor time of the calling thread, which other programs do not affect.
package enum ThreadTime {
    /// The seconds for which the thread has computed.
    package static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
