import Foundation

/// The calling thread's processor time, which is not affected by other programs.
package enum ThreadTime {
    /// The thread's processor time in seconds.
    package static var seconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
