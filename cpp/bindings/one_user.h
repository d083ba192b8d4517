// One thread at a time inside an evaluator, and none a second time from within its own network.
#pragma once

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace sandtable {

class OneUser {
 public:
  class Inside {
   public:
    // The interpreter's lock must not be held: whoever is inside may be waiting for it.
    explicit Inside(OneUser& place) : place_(check(place)), lock_(place.mutex_) { place_.user_ = std::this_thread::get_id(); }
    ~Inside() { place_.user_ = std::thread::id(); }

   private:
    static OneUser& check(OneUser& place) {
      if (place.user_.load() == std::this_thread::get_id())
        throw std::invalid_argument("an evaluator cannot be used inside its own network");
      return place;
    }
    OneUser& place_;
    std::lock_guard<std::mutex> lock_;
  };

 private:
  std::mutex mutex_;
  std::atomic<std::thread::id> user_{};
};

}  // namespace sandtable
