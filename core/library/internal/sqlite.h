// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

struct sqlite3;
struct sqlite3_stmt;

/// SQLite behind RAII and Result. Nothing here knows what is stored.
namespace bifocal::library {

class Database;

/// A prepared statement in use; goes back to the database's cache, reset, when it dies.
/// Threads: compatible. Columns count from 0, parameters from 1. Columns live until the next step.
class Statement {
public:
    Statement(Statement&& other) noexcept;
    Statement& operator=(Statement&&) = delete;
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;
    ~Statement();

    /// Binds are kept until the statement dies; what fails in one is told by the next step.
    Statement& bind(int parameter, std::int64_t value);
    Statement& bind(int parameter, std::span<const std::uint8_t> blob);
    Statement& bind(int parameter, const std::filesystem::path& path);  ///< as a blob of its bytes
    Statement& bind(int parameter, std::string_view text);
    Statement& bindNull(int parameter);

    /// Whether there is a row.
    Result<bool> step();
    /// Runs to the end, and can be bound and run again.
    Result<void> run();

    bool isNull(int column) const;
    std::int64_t integer(int column) const;
    std::span<const std::uint8_t> blob(int column) const;
    std::string_view text(int column) const;

private:
    friend class Database;
    Statement(Database& database, sqlite3_stmt* handle) : database_(&database), handle_(handle) {}

    void note(int code);

    Database* database_;
    sqlite3_stmt* handle_;
    int firstFault_ = 0;
};

enum class DatabaseMode : std::uint8_t {
    Write = 1,  ///< made when it is missing
    Read,       ///< the same, and refuses to change anything afterwards; sees a writer's commits
    Immutable,  ///< from media that nobody can write to: no locks, no log
    Memory,     ///< of this connection alone; the path is ignored
};

/// One connection. Threads: compatible (its owner has the mutex).
class Database {
public:
    /// Corruption, ResourceExhausted, NotFound, Internal.
    static Result<std::unique_ptr<Database>> open(const std::filesystem::path& file,
                                                  DatabaseMode mode);
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;
    ~Database();

    /// `sql` is one statement, prepared once. Requires: not in use already.
    Result<Statement> prepare(std::string_view sql);
    /// Any number of statements without results.
    Result<void> execute(const char* sql);
    Result<std::int64_t> integer(std::string_view sql);

    std::int64_t lastInsertedId() const;
    int changedRowCount() const;  ///< by the last statement

    /// What SQLite says of `code`, after `action`.
    Error errorOf(int code, std::string_view action) const;

private:
    friend class Statement;
    Database(sqlite3* handle, std::string name) : handle_(handle), name_(std::move(name)) {}

    sqlite3* handle_;
    std::string name_;
    std::unordered_map<std::string, sqlite3_stmt*> statements_;
};

/// Begins at once as the one writer, or as a reader of one state; undone unless committed.
/// Threads: compatible.
class Transaction {
public:
    static Result<Transaction> beginWriting(Database& database);
    static Result<Transaction> beginReading(Database& database);
    Transaction(Transaction&& other) noexcept;
    Transaction& operator=(Transaction&&) = delete;
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction();

    Result<void> commit();

private:
    explicit Transaction(Database& database) : database_(&database) {}

    Database* database_;  ///< none once it has ended
};

}  // namespace bifocal::library
