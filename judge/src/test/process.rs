//! Runs a program on an input under limits.
//!
//! stdin, stdout and stderr are files, not pipes: whatever the program does with them, whether it leaves its input
//! unread, prints without end or hands them on to a process of its own, nobody has to wait for anybody.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use sysinfo::{Pid, ProcessRefreshKind, ProcessesToUpdate, System};
use wait4::Wait4;

/// How much of stderr is kept, from its end.
const STDERR_KEPT: u64 = 4096;

/// What a program may use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// From start to end, by the clock on the wall.
    pub time: Duration,
    /// Resident memory, in bytes.
    pub memory: u64,
    /// On stdout and on stderr, in bytes.
    pub output: u64,
}

/// What was seen of a program that has ended.
#[derive(Clone, Debug)]
pub struct Run {
    /// Why it ended.
    pub end: End,
    /// How long it ran, by the clock on the wall.
    pub time: Duration,
    /// Most memory it had at a time, where the system tells.
    pub peak_memory: Option<PeakMemory>,
    /// What it printed; at most the limit.
    pub stdout: Vec<u8>,
    /// The end of what it printed on stderr.
    pub stderr: Vec<u8>,
}

/// Most memory that a program had at a time, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeakMemory {
    /// This much.
    Exactly(u64),
    /// No more than this: less than could be measured.
    AtMost(u64),
}

/// Why a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself.
    Exited(ExitStatus),
    /// Killed: the time was over.
    OutOfTime,
    /// Killed: it had more memory than it may.
    OutOfMemory,
    /// Killed: it printed more than it may.
    OutOfOutput,
}

/// Everything is to end.
static STOPPED: AtomicBool = AtomicBool::new(false);

/// How many programs have not ended yet.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// Ends all programs that run, and those that are started from now on; waits for it. They are in process groups of their own, which Ctrl-C
/// does not reach.
pub fn stop() {
    STOPPED.store(true, Ordering::SeqCst);
    while RUNNING.load(Ordering::SeqCst) > 0 {
        thread::sleep(Duration::from_millis(1));
    }
}

/// Whether everything is to end.
pub fn is_stopped() -> bool {
    STOPPED.load(Ordering::SeqCst)
}

/// One that is counted as long as this is there.
struct Running;

impl Running {
    fn new() -> Self {
        RUNNING.fetch_add(1, Ordering::SeqCst);
        Self
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Where a program cannot be started because of the folder that it is in, that folder.
fn explained(error: io::Error, executable: &Path) -> io::Error {
    let folder = std::env::temp_dir();
    match error.kind() == io::ErrorKind::PermissionDenied && executable.starts_with(&folder) {
        true => io::Error::new(
            error.kind(),
            format!(
                "{error}; expected a folder for temporary files that programs may be started from, and {} is none: set TMPDIR to another",
                folder.display()
            ),
        ),
        false => error,
    }
}

/// Runs `executable` with the file `input` as stdin until it ends, breaks a limit or everything is to [stop].
///
/// Then everything that it started is ended as well. `None` if it was interrupted.
///
/// # Errors
///
/// When a file cannot be opened or the program cannot be started.
pub fn run(executable: &Path, input: &Path, limits: &Limits) -> io::Result<Option<Run>> {
    let _running = Running::new();
    let mut stdout = tempfile::tempfile()?;
    let mut stderr = tempfile::tempfile()?;
    let mut command = Command::new(executable);
    command
        .stdin(File::open(input)?)
        .stdout(stdout.try_clone()?)
        .stderr(stderr.try_clone()?);
    Group::prepare(&mut command);

    let started = Instant::now();
    let mut child = command
        .spawn()
        .map_err(|error| explained(error, executable))?;
    let group = Group::of(&child);
    let mut memory = MemoryProbe::new(child.id());
    let watched = watch(&mut child, &mut memory, limits, started, [&stdout, &stderr]);
    let time = started.elapsed();
    group.kill(&mut child);
    let ended = child.wait4()?;
    let end = match watched? {
        Watched::Exited => End::Exited(ended.status),
        Watched::Stopped(end) => end,
        Watched::Interrupted => return Ok(None),
    };
    let peak_memory = memory.peak(ended.rusage.maxrss);

    let mut kept = Vec::new();
    stdout.rewind()?;
    stdout.take(limits.output).read_to_end(&mut kept)?;
    let printed = stderr.metadata()?.len();
    stderr.seek(SeekFrom::Start(printed.saturating_sub(STDERR_KEPT)))?;
    let mut end_of_stderr = Vec::new();
    stderr.take(STDERR_KEPT).read_to_end(&mut end_of_stderr)?;
    Ok(Some(Run {
        end,
        time,
        peak_memory,
        stdout: kept,
        stderr: end_of_stderr,
    }))
}

enum Watched {
    Exited,
    Stopped(End),
    Interrupted,
}

/// Looks at the program again and again until it has ended or must be stopped; does neither reap nor kill it.
fn watch(
    child: &mut Child,
    memory: &mut MemoryProbe,
    limits: &Limits,
    started: Instant,
    outputs: [&File; 2],
) -> io::Result<Watched> {
    loop {
        memory.sample();
        if has_exited(child)? {
            // What it printed last may have gone by between two looks.
            return Ok(match too_long(outputs, limits)? {
                true => Watched::Stopped(End::OutOfOutput),
                false => Watched::Exited,
            });
        }
        let elapsed = started.elapsed();
        if is_stopped() {
            return Ok(Watched::Interrupted);
        } else if elapsed > limits.time {
            return Ok(Watched::Stopped(End::OutOfTime));
        } else if memory.seen > limits.memory {
            return Ok(Watched::Stopped(End::OutOfMemory));
        } else if too_long(outputs, limits)? {
            return Ok(Watched::Stopped(End::OutOfOutput));
        }
        // Short runs are timed finely, long ones are not disturbed.
        thread::sleep((elapsed / 20).clamp(Duration::from_micros(100), Duration::from_millis(5)));
    }
}

fn too_long(outputs: [&File; 2], limits: &Limits) -> io::Result<bool> {
    for output in outputs {
        if output.metadata()?.len() > limits.output {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The program and the processes that it starts, which end with it: on Unix it is the head of a process group.
#[cfg(unix)]
struct Group;

#[cfg(unix)]
impl Group {
    fn prepare(command: &mut Command) {
        use std::os::unix::process::CommandExt;
        command.process_group(0);
    }

    fn of(_child: &Child) -> Self {
        Self
    }

    /// It may have ended already.
    fn kill(self, child: &mut Child) {
        use rustix::process::{kill_process_group, Pid, Signal};
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }
}

/// On Windows it is put into a job as soon as it runs, and what it starts from then on is in it, too. All that ends when the job is dropped.
#[cfg(windows)]
struct Group(Option<win32job::Job>);

#[cfg(windows)]
impl Group {
    fn prepare(_command: &mut Command) {}

    fn of(child: &Child) -> Self {
        use std::os::windows::io::AsRawHandle;
        use win32job::{ExtendedLimitInfo, Job};
        let mut limits = ExtendedLimitInfo::new();
        limits.limit_kill_on_job_close();
        let job = Job::create_with_limit_info(&limits).ok();
        if let Some(job) = &job {
            // One that has ended already cannot be put anywhere.
            let _ = job.assign_process(child.as_raw_handle() as isize);
        }
        Self(job)
    }

    /// It may have ended already.
    fn kill(self, child: &mut Child) {
        drop(self.0);
        let _ = child.kill();
    }
}

/// Whether the program has ended. It is left unreaped: its number stays its own, so `kill` cannot meet another.
#[cfg(unix)]
fn has_exited(child: &mut Child) -> io::Result<bool> {
    use rustix::process::{waitid, Pid, WaitId, WaitIdOptions};
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let status =
        rustix::io::retry_on_intr(|| waitid(WaitId::Pid(Pid::from_child(child)), options))?;
    Ok(status.is_some())
}

#[cfg(windows)]
fn has_exited(child: &mut Child) -> io::Result<bool> {
    Ok(child.try_wait()?.is_some())
}

/// Watches the memory of a running program.
struct MemoryProbe {
    pid: u32,
    /// Not used on Linux, absent where the system has no such numbers.
    system: Option<System>,
    /// Most that was seen, in bytes.
    seen: u64,
}

impl MemoryProbe {
    fn new(pid: u32) -> Self {
        Self {
            pid,
            system: System::new().ok(),
            seen: 0,
        }
    }

    fn sample(&mut self) {
        let now = if cfg!(target_os = "linux") {
            high_water(&self.pid.to_string())
        } else {
            self.system
                .as_mut()
                .and_then(|system| resident(system, self.pid))
        };
        self.seen = self.seen.max(now.unwrap_or(0));
    }

    /// The peak, given what the system said when the program was reaped.
    ///
    /// That number is exact with one exception: on Linux it begins with the peak of the process that started the
    /// program, here our own, and so tells nothing about a program that needed less.
    fn peak(&self, reaped: u64) -> Option<PeakMemory> {
        let own = match cfg!(target_os = "linux") {
            true => high_water("self").unwrap_or(0),
            false => 0,
        };
        let reaped = reaped.max(self.seen);
        match reaped > own {
            true => Some(PeakMemory::Exactly(reaped)),
            false if own > 0 => Some(PeakMemory::AtMost(own)),
            false => None,
        }
    }
}

/// The resident memory that a process has now, in bytes.
fn resident(system: &mut System, pid: u32) -> Option<u64> {
    let pid = Pid::from_u32(pid);
    system.refresh_processes_specifics(
        ProcessesToUpdate::Some(&[pid]),
        false,
        ProcessRefreshKind::nothing().with_memory().without_tasks(),
    );
    system.process(pid).map(|process| process.memory())
}

/// The most resident memory that a Linux process has had since it was started, in bytes.
fn high_water(pid: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib * 1024)
}
