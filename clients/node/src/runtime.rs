//! The threads that follow the edge.

use napi::bindgen_prelude::create_custom_tokio_runtime;
use tokio::runtime::Builder;

/// One thread for all clients of a process: they wait, and what takes long goes to threads that end after it.
#[napi_derive::module_init]
fn init() {
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("halyard")
        .enable_all()
        .build();
    // Without it napi makes one of its own, and tells what is wrong where that fails too.
    if let Ok(runtime) = runtime {
        create_custom_tokio_runtime(runtime);
    }
}
