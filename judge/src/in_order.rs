//! Several threads, and their results in order.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// Applies `work` to `tasks`, `jobs` at a time, and hands the results to `show` in the order of the tasks, each as soon
/// as those before it are there. Ends early when `work` returns `None` or `show` an error.
pub fn in_order<T: Sync, R: Send, E>(
    tasks: &[T],
    jobs: usize,
    work: impl Fn(&T) -> Option<R> + Sync,
    mut show: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    thread::scope(|scope| {
        let (sender, results) = mpsc::channel();
        for _ in 0..jobs.min(tasks.len()) {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(result) = tasks.get(index).and_then(work) else {
                    break;
                };
                // The receiver is gone when showing failed.
                if sender.send((index, result)).is_err() {
                    break;
                }
            });
        }
        drop(sender);
        let mut waiting: Vec<Option<R>> = tasks.iter().map(|_| None).collect();
        let mut shown = 0;
        for (index, result) in results {
            waiting[index] = Some(result);
            while let Some(result) = waiting.get_mut(shown).and_then(Option::take) {
                show(result)?;
                shown += 1;
            }
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_tasks() {
        let tasks: Vec<u64> = (0..50).rev().collect();
        let mut shown = Vec::new();
        let work = |&task: &u64| {
            // The later ones are ready first.
            thread::sleep(std::time::Duration::from_micros(task * 20));
            Some(task)
        };
        let show = |result| {
            shown.push(result);
            Ok::<(), ()>(())
        };
        assert_eq!(in_order(&tasks, 4, work, show), Ok(()));
        assert_eq!(shown, tasks);
    }

    #[test]
    fn it_ends_where_showing_fails_or_work_gives_nothing() {
        let fails = |result| if result < 3 { Ok(()) } else { Err(result) };
        assert_eq!(
            in_order(&[1, 2, 3, 4], 2, |&task| Some(task), fails),
            Err(3)
        );
        let mut shown = Vec::new();
        let work = |&task: &i32| (task < 3).then_some(task);
        let show = |result| {
            shown.push(result);
            Ok::<(), ()>(())
        };
        assert_eq!(in_order(&[1, 2, 3, 4], 1, work, show), Ok(()));
        assert_eq!(shown, [1, 2]);
    }
}
