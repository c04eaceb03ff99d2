// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>

#include <type_traits>
#include <utility>

namespace bifocal::ui {

/// A QObject that its parent owns; the reference is valid as long as the parent is.
template <typename T, typename Parent, typename... Arguments>
T* makeChild(Parent* parent, Arguments&&... arguments) {
    static_assert(std::is_base_of_v<QObject, T>);
    return new T(std::forward<Arguments>(arguments)..., parent);
}

}  // namespace bifocal::ui
