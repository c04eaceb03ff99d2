// SPDX-License-Identifier: Apache-2.0
#include "core/library/internal/sqlite.h"

#include <sqlite3.h>

#include <utility>

namespace bifocal::library {
namespace {

/// How long a statement waits for another process's write to end. Readers of a WAL never wait for
/// the writer; this is for two writers, and for the instant in which a log is made or recovered.
constexpr int kBusyMilliseconds = 10000;

ErrorCode kindOf(int code) {
    switch (code & 0xFF) {
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB: return ErrorCode::Corruption;
        case SQLITE_FULL:
        case SQLITE_NOMEM:
        case SQLITE_TOOBIG: return ErrorCode::ResourceExhausted;
        case SQLITE_BUSY:
        case SQLITE_LOCKED: return ErrorCode::Busy;
        case SQLITE_READONLY: return ErrorCode::InvalidArgument;
        case SQLITE_CONSTRAINT:
            return code == SQLITE_CONSTRAINT_FOREIGNKEY ? ErrorCode::NotFound
                                                        : ErrorCode::InvalidArgument;
        default: return ErrorCode::Internal;
    }
}

/// SQLite's name for a file, with every byte that means something in a URI escaped.
std::string immutableUri(const std::filesystem::path& file) {
    static constexpr std::string_view kDigits = "0123456789abcdef";
    std::string uri = "file:";
    for (const char byte : std::filesystem::absolute(file).string()) {
        const bool isPlain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                             (byte >= '0' && byte <= '9') || byte == '/' || byte == '.' ||
                             byte == '-' || byte == '_';
        if (isPlain) {
            uri += byte;
        } else {
            const auto value = static_cast<unsigned char>(byte);
            uri += '%';
            uri += kDigits[value >> 4U];
            uri += kDigits[value & 0xFU];
        }
    }
    return uri + "?immutable=1";
}

}  // namespace

Statement::Statement(Statement&& other) noexcept
    : database_(other.database_),
      handle_(std::exchange(other.handle_, nullptr)),
      firstFault_(other.firstFault_) {}

Statement::~Statement() {
    if (handle_ != nullptr) {
        sqlite3_reset(handle_);
        sqlite3_clear_bindings(handle_);
    }
}

void Statement::note(int code) {
    if (code != SQLITE_OK && firstFault_ == SQLITE_OK) {
        firstFault_ = code;
    }
}

Statement& Statement::bind(int parameter, std::int64_t value) {
    note(sqlite3_bind_int64(handle_, parameter, value));
    return *this;
}

Statement& Statement::bind(int parameter, std::span<const std::uint8_t> blob) {
    // A null pointer would bind NULL, and an empty blob is not that.
    note(blob.empty()
             ? sqlite3_bind_zeroblob(handle_, parameter, 0)
             : sqlite3_bind_blob64(
                   handle_, parameter, blob.data(), blob.size(), SQLITE_TRANSIENT));  // NOLINT
    return *this;
}

Statement& Statement::bind(int parameter, const std::filesystem::path& path) {
    const std::string& bytes = path.native();
    return bind(parameter,
                std::span(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
}

Statement& Statement::bind(int parameter, std::string_view text) {
    note(sqlite3_bind_text64(handle_,
                             parameter,
                             text.data() == nullptr ? "" : text.data(),
                             text.size(),
                             SQLITE_TRANSIENT,  // NOLINT: SQLite's own cast
                             SQLITE_UTF8));
    return *this;
}

Statement& Statement::bindNull(int parameter) {
    note(sqlite3_bind_null(handle_, parameter));
    return *this;
}

Result<bool> Statement::step() {
    if (firstFault_ != SQLITE_OK) {
        return database_->errorOf(firstFault_, "bind");
    }
    const int code = sqlite3_step(handle_);
    if (code == SQLITE_ROW) {
        return true;
    }
    if (code == SQLITE_DONE) {
        return false;
    }
    return database_->errorOf(code, sqlite3_sql(handle_));
}

Result<void> Statement::run() {
    bool hasRow = true;
    while (hasRow) {
        BIFOCAL_TRY(hasRow, step());
    }
    sqlite3_reset(handle_);
    return {};
}

bool Statement::isNull(int column) const {
    return sqlite3_column_type(handle_, column) == SQLITE_NULL;
}

std::int64_t Statement::integer(int column) const {
    return sqlite3_column_int64(handle_, column);
}

std::span<const std::uint8_t> Statement::blob(int column) const {
    const auto* data = static_cast<const std::uint8_t*>(sqlite3_column_blob(handle_, column));
    return {data, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

std::string_view Statement::text(int column) const {
    const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
    return {data == nullptr ? "" : data,
            static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

Result<std::unique_ptr<Database>> Database::open(const std::filesystem::path& file,
                                                 DatabaseMode mode) {
    std::string name = file.string();
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    switch (mode) {
        case DatabaseMode::Write:
        case DatabaseMode::Read: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE; break;
        case DatabaseMode::Immutable:
            flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI;
            name = immutableUri(file);
            break;
        case DatabaseMode::Memory:
            flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY;
            name = ":memory:";
            break;
    }
    sqlite3* handle = nullptr;
    const int code = sqlite3_open_v2(name.c_str(), &handle, flags, nullptr);
    std::unique_ptr<Database> database(new Database(handle, file.string()));
    if (code != SQLITE_OK) {
        return database->errorOf(code, "open");
    }
    sqlite3_busy_timeout(handle, kBusyMilliseconds);
    BIFOCAL_CHECK(
        database->execute("PRAGMA foreign_keys = ON;"
                          "PRAGMA trusted_schema = OFF;"
                          "PRAGMA temp_store = MEMORY;"));
    if (mode == DatabaseMode::Write || mode == DatabaseMode::Read) {
        // NORMAL syncs the log before it is copied into the database, not at each commit: a killed
        // process loses nothing, because its writes are the system's already, and a power cut may
        // lose the last commits but never breaks the file. Lost commits cost a second look at those
        // pictures, no more: their vectors were synced before, and one without a row is an orphan.
        BIFOCAL_CHECK(
            database->execute("PRAGMA journal_mode = WAL;"
                              "PRAGMA synchronous = NORMAL;"));
    }
    return database;
}

Database::~Database() {
    for (const auto& [sql, statement] : statements_) {
        sqlite3_finalize(statement);
    }
    sqlite3_close(handle_);
}

Error Database::errorOf(int code, std::string_view action) const {
    std::string message = name_ + ": " + std::string(action) + ": " +
                          (handle_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle_));
    const ErrorCode kind = kindOf(code);
    const std::chrono::milliseconds retryAfter(kind == ErrorCode::Busy ? 1000 : 0);
    return {kind, std::move(message), retryAfter};
}

Result<Statement> Database::prepare(std::string_view sql) {
    const auto [entry, isNew] = statements_.try_emplace(std::string(sql), nullptr);
    if (entry->second == nullptr) {
        const int code = sqlite3_prepare_v3(handle_,
                                            sql.data(),
                                            static_cast<int>(sql.size()),
                                            SQLITE_PREPARE_PERSISTENT,
                                            &entry->second,
                                            nullptr);
        if (code != SQLITE_OK) {
            const Error error = errorOf(code, sql);
            statements_.erase(entry);
            return error;
        }
    }
    BIFOCAL_ASSERT(sqlite3_stmt_busy(entry->second) == 0);
    return Statement(*this, entry->second);
}

Result<void> Database::execute(const char* sql) {
    const int code = sqlite3_exec(handle_, sql, nullptr, nullptr, nullptr);
    if (code != SQLITE_OK) {
        return errorOf(code, sql);
    }
    return {};
}

Result<std::int64_t> Database::integer(std::string_view sql) {
    BIFOCAL_TRY(Statement statement, prepare(sql));
    BIFOCAL_TRY(const bool hasRow, statement.step());
    if (!hasRow) {
        return Error{ErrorCode::Corruption, name_ + ": no answer to " + std::string(sql)};
    }
    return statement.integer(0);
}

std::int64_t Database::lastInsertedId() const {
    return sqlite3_last_insert_rowid(handle_);
}

int Database::changedRowCount() const {
    return sqlite3_changes(handle_);
}

Result<Transaction> Transaction::beginWriting(Database& database) {
    BIFOCAL_CHECK(database.execute("BEGIN IMMEDIATE"));
    return Transaction(database);
}

Result<Transaction> Transaction::beginReading(Database& database) {
    BIFOCAL_CHECK(database.execute("BEGIN"));
    return Transaction(database);
}

Transaction::Transaction(Transaction&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)) {}

Transaction::~Transaction() {
    if (database_ != nullptr) {
        (void)database_->execute("ROLLBACK");  // after some errors SQLite has done it already
    }
}

Result<void> Transaction::commit() {
    BIFOCAL_CHECK(database_->execute("COMMIT"));
    database_ = nullptr;
    return {};
}

}  // namespace bifocal::library
