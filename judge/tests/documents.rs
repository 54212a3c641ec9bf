//! The documents in Chinese keep to Chinese punctuation.

use std::fs;
use std::path::Path;

use walkdir::WalkDir;

/// The text without what is no prose: fenced blocks, code spans and formulas, each of which leaves a blank.
fn prose(markdown: &str) -> String {
    let mut fenced = false;
    let lines = markdown.lines().filter(|line| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    let every_other = |text: &str, mark| text.split(mark).step_by(2).collect::<Vec<_>>().join(" ");
    every_other(&every_other(&text, '`'), '$')
}

/// The lines with a comma, semicolon or colon of half width directly behind a Han character.
fn half_width(text: &str) -> Vec<String> {
    let is_han = |c| matches!(c, '\u{3400}'..='\u{9fff}');
    let found = |line: &&str| {
        let next = line.chars().skip(1);
        line.chars()
            .zip(next)
            .any(|(c, mark)| is_han(c) && matches!(mark, ',' | ';' | ':'))
    };
    text.lines().filter(found).map(str::to_string).collect()
}

#[test]
fn chinese_punctuation_is_of_full_width() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut documents = 0;
    let files = WalkDir::new(root).into_iter().filter_entry(|entry| {
        let name = entry.file_name().to_string_lossy();
        entry.depth() == 0 || name != "target" && !name.starts_with('.')
    });
    for file in files {
        let path = file.unwrap().into_path();
        if path.to_string_lossy().ends_with(".zh-CN.md") {
            documents += 1;
            let found = half_width(&prose(&fs::read_to_string(&path).unwrap()));
            assert!(found.is_empty(), "{}: {found:#?}", path.display());
        }
    }
    assert!(documents > 6, "{documents}");
}

/// What `cargo judge new` writes.
#[test]
fn the_templates_of_documents_as_well() {
    let found = half_width(include_str!("../src/new/mod.rs"));
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn half_width_marks_are_found_in_prose_only() {
    for text in ["输入,输出", "题意: 如下", "先手;后手", "`a` 是数,`b` 也是"] {
        assert_eq!(half_width(&prose(text)).len(), 1, "{text}");
    }
    for text in [
        "输入，输出：0, 1, 2",
        "见 `数,组` 和 $数,$",
        "是\n```sh\n先,后\n```\n的",
    ] {
        assert_eq!(half_width(&prose(text)), [""; 0], "{text}");
    }
}
