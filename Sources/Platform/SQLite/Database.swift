import CSQLite

/// An error with SQLite's own message.
public struct SQLiteError: Error, Equatable, CustomStringConvertible {
    /// The primary result code: `SQLITE_BUSY`, `SQLITE_FULL`.
    public let code: Int32
    public let message: String

    package init(code: Int32, message: String) { (self.code, self.message) = (code, message) }

    public var description: String { message }
    /// Whether the file is in use by another process, or by another connection in this process.
    public var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }
    /// Whether the file does not exist and cannot be created.
    public var cannotOpen: Bool { code == SQLITE_CANTOPEN }
    /// Whether the file is not a database.
    public var isForeign: Bool { code == SQLITE_NOTADB }
}

/// An open SQLite database that prepares each statement once.
///
/// Only one thread at a time may use a database.
public final class Database {
    private let handle: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]  // Keyed by constants: the texts of our own statements.

    /// A column or parameter value.
    public enum Value: Equatable, Sendable {
        case null
        case integer(Int64)
        case text(String)
        /// Text as UTF-8 bytes, so that encoded text needs no string.
        case bytes([UInt8])
    }

    /// Opens a file, and creates it if it is missing.
    ///
    /// `:memory:` opens an in-memory database.
    public init(path: String) throws(SQLiteError) {
        var opened: OpaquePointer?
        // Debian's and Apple's builds of SQLite would read such a name as a URI with options.
        let path = path.hasPrefix("file:") ? "./" + path : path
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &opened, flags, nil)
        // Even a failed open returns a handle, which holds the reason, unless SQLite is out of memory.
        guard let opened else { preconditionFailure("SQLite must have enough memory for a connection.") }
        handle = opened
        guard code == SQLITE_OK else {
            let error = lastError
            sqlite3_close_v2(opened)
            throw error
        }
        sqlite3_extended_result_codes(opened, 0)
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    /// The absolute path of the file with links resolved; nil for an in-memory database.
    public var path: String? {
        guard let name = sqlite3_db_filename(handle, "main"), name.pointee != 0 else { return nil }
        return String(cString: name)
    }

    /// Whether the file is no longer at its path.
    public var hasMoved: Bool {
        var hasMoved: Int32 = 0
        return sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK && hasMoved != 0
    }

    /// Runs any number of statements without parameters, and ignores their rows.
    public func run(script: String) throws(SQLiteError) {
        guard sqlite3_exec(handle, script, nil, nil, nil) == SQLITE_OK else { throw lastError }
    }

    /// Runs a statement and passes each row to a closure.
    public func run(
        _ sql: String, _ parameters: Value..., row: (Row) throws(SQLiteError) -> Void = { _ in }
    ) throws(SQLiteError) {
        let statement = try prepared(sql)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in parameters.enumerated() { try bind(value, to: Int32(index + 1), of: statement) }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW: try row(Row(statement: statement))
            case SQLITE_DONE: return
            default: throw lastError
            }
        }
    }

    /// A result row; valid only inside the closure that receives it.
    public struct Row {
        fileprivate let statement: OpaquePointer

        public func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

        /// The bytes of a text value; empty for null.
        public func bytes(_ column: Int32) -> [UInt8] {
            guard let start = sqlite3_column_blob(statement, column) else { return [] }
            return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
        }

        public func text(_ column: Int32) -> String { String(decoding: bytes(column), as: UTF8.self) }
    }

    private func prepared(_ sql: String) throws(SQLiteError) -> OpaquePointer {
        if let known = statements[sql] { return known }
        var prepared: OpaquePointer?
        guard sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil) == SQLITE_OK else {
            throw lastError
        }
        guard let prepared else { preconditionFailure("A statement must contain SQL.") }
        statements[sql] = prepared
        return prepared
    }

    private func bind(_ value: Value, to index: Int32, of statement: OpaquePointer) throws(SQLiteError) {
        // SQLite copies the bytes.
        let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        let code =
            switch value {
            case .null: sqlite3_bind_null(statement, index)
            case .integer(let number): sqlite3_bind_int64(statement, index, number)
            case .text(let text): sqlite3_bind_text(statement, index, text, Int32(text.utf8.count), copies)
            // An empty array has no address and would be bound as null.
            case .bytes([]): sqlite3_bind_text(statement, index, "", 0, copies)
            case .bytes(let bytes):
                bytes.withUnsafeBufferPointer { buffer in
                    buffer.withMemoryRebound(to: CChar.self) {
                        sqlite3_bind_text(statement, index, $0.baseAddress, Int32($0.count), copies)
                    }
                }
            }
        guard code == SQLITE_OK else { throw lastError }
    }

    private var lastError: SQLiteError {
        SQLiteError(code: sqlite3_errcode(handle) & 0xFF, message: String(cString: sqlite3_errmsg(handle)))
    }
}
