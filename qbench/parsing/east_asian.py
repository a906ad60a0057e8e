"""Chinese, Japanese and Korean replies in English words, for a grammar that reads English.

Only phrases in which such answers are given are translated; what is left keeps its characters, is unknown to the
grammar and so says nothing. Where the order of words decides the meaning, it is made English first: "图2比图1更清晰"
(image 2 than image 1 sharper) becomes "image 2 sharper than image 1".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

_CJK = "\u3040-\u30ff\u3400-\u9fff々\uac00-\ud7a3"
_ANY_CJK = re.compile(rf"[{_CJK}]")
_BORDER = re.compile(rf"(?<=[{_CJK}])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[{_CJK}])")
_FIRST_MARK = 0xE000

_PICTURE = "(?:图片|图像|照片|相片|画像|写真|图)"
_THAT = "(?:那张|这张|那幅|这幅)?"


def _one_of(number: str, word: str) -> str:
    counted = rf"第\s?{number}\s?[张幅个副枚]?\s?{_PICTURE}?|{number}\s?[枚番]目(?:の{_PICTURE})?"
    return rf"(?:{counted}|{_PICTURE}\s?{number}(?!\d)|{word})"


def _on(side: str) -> str:
    return rf"(?:{side}[边侧側面]?[的の]?\s?{_THAT}{_PICTURE}?)"


_ITEMS = {
    " image 1 ": _one_of("[一1]", r"前者|前一[张幅]|最初の(?:画像|写真)|첫\s?번째\s?(?:이미지|사진)?"),
    " image 2 ": _one_of("[二2]", r"后者|後者|后一[张幅]|두\s?번째\s?(?:이미지|사진)?"),
    " image A ": r"A\s?图(?!像)片?",
    " image B ": r"B\s?图(?!像)片?",
    " left image ": _on("左") + r"|(?:왼쪽|좌측)(?:의)?\s?(?:이미지|사진)?",
    " right image ": _on("右") + r"|(?:오른쪽|우측)(?:의)?\s?(?:이미지|사진)?",
}
_ITEM = rf"(?:{'|'.join(_ITEMS.values())}|(?:选项|{_PICTURE})?\s?[AB](?![A-Za-z])(?:图(?!片))?)(?:の{_PICTURE})?"
_REST = r"[^,.;!?\n]"
_STARTS, _STARTS_OR_GOES_ON = r"(?m)(^|[.:\n]\s?)", r"(?m)(^|[,.:\n]\s?)"
_ENDS = r"(?=\s?(?:[,.!\n]|$))"

_GOOD = "(?:高画質|上で|上だ|良い|よい|いい|優れ|綺麗|きれい|鮮明|高い|クリア|美しい)"
_GOOD_KO = "(?:좋|낫|나은|우수|뛰어)[가-힣]*"
_PLAIN = "高|好|强|亮|多|清晰|清楚|丰富|鲜艳|自然"
"""What is a comparative after "than", without a word for "more"."""

_COUNTED = "噪点|噪声|噪音|颗粒感?|失真|伪影|压缩痕迹|块效应|细节|模糊|反光|杂色"
_RATHER = "(?:要|还|更加?|稍微?|略微?|明显更?)?"

_REORDERED = {
    rf"({_ITEM})(?:虽然|尽管|虽)": r" although \1 ",
    rf"的?({_COUNTED})也?(?:还要|更加?|比?较|相对较?|明显更?)(?:多|严重|明显|重)": r" has more \1 ",
    rf"的?({_COUNTED})也?(?:还要|更加?|比?较|相对较?|明显更?)(?:少|轻|不明显)": r" has less \1 ",
    rf"({_ITEM})的?(?:整体|总体)?(?:质量|画质|效果)?(?:要|还|更加?|比?较|相对较?|稍微?|略微?)差(?:一些|一点|些)?": (
        r" \1 is worse "
    ),
    rf"({_ITEM})[이가은는의]?\s?({_ITEM})보다{_REST}{{0,20}}?{_GOOD_KO}": r" \1 is better than \2 ",
    rf"({_ITEM})보다\s?({_ITEM})[이가은는의]{_REST}{{0,20}}?{_GOOD_KO}": r" \2 is better than \1 ",
    rf"({_ITEM})[이가은는]?\s?({_ITEM})보다{_REST}{{0,8}}?(?:선명|또렷)[가-힣]*": r" \1 is sharper than \2 ",
    r"(?:整体来看|整体上|总的来说|综合来看|总体来说),?还是": " overall ",
    rf"不是({_ITEM}),?而是({_ITEM})": r" not \1 , it is \2 ",
    rf"({_ITEM})的{_REST}{{1,20}}?(?:都|均|全)?(?:优于|好于|强于|胜过)({_ITEM})的?": r" \1 beats \2 ",
    r"(?<=[가-힣])(?:해서|어서|아서|여서|므로|으니|니까|기 때문에)(?=[\s,])": " , so ",
    r"정답은\s?": " , the answer is ",
    rf"[与和跟同](?:{_ITEM})[的]?相?比较?之?下?,|(?:相比于?|相较于?|比起|较之)(?:{_ITEM}),": "",
    rf"({_ITEM})的?({_COUNTED})比({_ITEM})的?{_RATHER}(?:多|严重|明显|重)": r" \1 has more \2 than \3 ",
    rf"({_ITEM})的?({_COUNTED})比({_ITEM})的?{_RATHER}(?:少|轻|不明显)": r" \1 has less \2 than \3 ",
    rf"比({_ITEM})的?(?=更)({_REST}{{1,30}})": r" \2 than \1 ",
    rf"比({_ITEM})的?(?:要|还|稍微?|略微?|明显)?({_PLAIN})({_REST}{{0,12}})": r" 更\2\3 than \1 ",
    rf"比({_ITEM})的?({_REST}{{1,30}})": r" worse \2 than \1 ",
    rf"(?:不如|不及|比不上|赶不上)({_ITEM})(?:那么|这么|的)?{_REST}{{0,12}}": r" loses to \1 ",
    rf"没有({_ITEM})(?:那么|这么|的)?{_REST}{{1,12}}": r" loses to \1 ",
    rf"の?[方ほ]う?が({_ITEM})よりも?{_REST}{{0,8}}?{_GOOD}{_REST}{{0,6}}": r" is better than \1 ",
    rf"({_ITEM})よりも?,?": r" compared to \1 , ",
    rf"({_ITEM})を?(?:選びます|選ぶ|選択します|選択|残します|残す)": r" I choose \1 ",
    rf"({_ITEM})(?:の[方ほ]う?)?が好き(?:です)?": r" I choose \1 ",
    rf"の?(?:方|ほう)が,?{_REST}{{0,8}}?ノイズ[がはも]多(?:い|く)(?:です)?": " has more noise ",
    rf"の?(?:方|ほう)が,?{_REST}{{0,8}}?ノイズ[がはも]少な(?:い|く)(?:です)?": " has less noise ",
    rf"の?(?:方|ほう)が,?{_REST}{{0,8}}?(?:ぼや?け|ブレ)(?:て(?:い(?:る|ます))?)?": " is blurrier ",
    rf"([A-Z])(?:の{_REST}{{1,20}}?)?が(?:正解|答え)(?:です|だ)?": r" . the answer is \1 ",
    rf"の?(?:方|ほう)が{_REST}{{0,12}}?{_GOOD}{_REST}{{0,6}}": " is better ",
    rf"{_STARTS_OR_GOES_ON}(?:是的|对的|有的|はい|そうです){_ENDS}": r"\1 yes ",
    rf"{_STARTS}(?:是|对|有|会){_ENDS}": r"\1 yes ",
    rf"{_STARTS}(?:不是的?|否|不|没有|不会|不存在|いいえ|違います){_ENDS}": r"\1 no ",
    r"더\s?(?:좋|낫|나은|우수|뛰어)[가-힣]*": " is better ",
    r"더\s?(?:선명|또렷)(?:하고|하며)": " is sharper , and ",
    r"더\s?(?:선명|또렷)[가-힣]*": " is sharper ",
    r"두\s?(?:이미지|사진|그림)": " both images ",
    rf"(?m)(^|[,.\n]\s?)(?:应该)?[是为](?=\s?(?:{_ITEM}|[A-Z](?![A-Za-z])|[\ue000-\uf8ff]))": r"\1 it is ",
}

_WORDS: Mapping[str, str] = {
    # answering
    "answer": "答案 答え 正解 回答 正确选项 正确答案 정답은 답은 정답",
    "option": "选项",
    "can not be read": "认不出来 无法辨认 难以辨认 看不清楚 看不清 読めません 読めない",
    "is the main problem": "이 주된 문제 가 주된 문제 이 가장 큰 문제",
    "severe": "严重 厉害 심한 深刻",
    "slight": "轻微 少量 些许 略有 わずか 약간",
    "much": "很多 许多 大量 較多 多い 多く",
    "final": "最终 最終",
    "correct": "正确 正しい",
    "wrong": "错误 不正确 不对 有误 错",
    "eliminate": "排除 除去 除了",
    "I would choose": "应该选 应选 应该选择 应当选 应当选择",
    "I choose": """选择 我选择 我会选择 我选 我会选 选 我更喜欢 更喜欢 我喜欢 喜欢 我更倾向于 更倾向于 倾向于 我倾向于
        偏好 推荐 挑选 留下 我会留下 会留下""",
    "overall": """综上 综上所述 总之 总的来说 总体来说 总体而言 整体而言 总体上 整体上 综合来看 综合考虑
        总体 整体 整个 全体的に 全体として 전체적으로 したがって よって 結論""",
    "therefore": "因此 所以 故",
    ". therefore": "ため ので",
    "therefore it is": "所以是 因此是 故是",
    "I think": "我认为 我觉得 我想 我看 依我看 我判断 と思います と考えます と思う",
    "in my opinion": "在我看来",
    # links
    "is": "是 为 属于 である",
    "looks": "看起来 看上去 显得 似乎 感觉 看来",
    "has": "具有 拥有 有 呈现 存在 展现 があります",
    "would": "应该 应当 应",
    "in comparison ,": "相比之下 相较之下",
    "and": "而且 并且 和 与 及 以及 且 跟 と",
    "or": "或者 或 还是 または",
    "also": "也 又",
    ", in": "方面 上 在",
    "yes ,": "네, 예,",
    "no ,": "아니요, 아니오,",
    "clearly": "明显 稍微 略微 稍 略 非常 十分 很 比较 较 更加 有点 有些 相对 显然 明らかに 少し とても",
    # turns of the argument
    "although": "虽然 尽管 即使 固然 虽",
    ", but": "但是 但 然而 不过 可是 却 しかし ただし ですが",
    ", while": "而",
    ", because": "因为 由于 原因是 理由是 から",
    ", correction , I choose": "应改为 改为 改成 改选 应改成",
    ", correction": "哦不对 哦不 啊不对 不对不对 不对, 更正 纠正 修正 订正 等等 等一下 等下 我改变主意",
    # what is not asserted
    "not": """谈不上 算不上 说不上 称不上 谈不到 不算 不再 不能说 很难说 难以 并不 并非 不太 不够 没有 没 无 不是 不
        非 未 ではありません ではない じゃない
        ありません ない""",
    "hardly any": "几乎没有 几乎不存在 ほとんどありません ほとんどない ほとんど見られない",
    "hardly see": "几乎看不到 几乎看不见 几乎看不出 几乎看不清 几乎难以看到",
    "can not see": """看不到 看不见 看不出 未见 见不到 見えません 見られません 見当たりません 見えない
        見られない""",
    "can see": "看到 看见 可见 可以看到 能看到 能看见 看得到 看得见 看得出 見えます 見られます 見える 見られる",
    "only": "只剩下 只剩 只有 仅有 仅",
    "if": "如果 若 假如 要是 假设 もし",
    "might": "可能 也许 或许 かもしれない",
    "needs": "需要 需 欠缺 必要",
    "preserved": "保留得 保留",
    "control": "控制",
    "loses": "丢失 失去 损失",
    "balanced": "均衡 平衡",
    "lacks": "缺乏 缺少 缺 不足",
    "some people": "有人 一些人 很多人",
    "at first glance": "乍一看 一开始 最初 起初 原本",
    "the user": "用户",
    "I am sorry": "抱歉 对不起 很抱歉 申し訳ありません",
    "I can not determine": "无法 不能 できません",
    # both
    "both images": """两张 两幅 两者 二者 两个 两张图片 两张图像 两张照片 两幅图像 两幅图 两张图 它们 どちらの画像も
        どちらの写真も 这两张 这两张图片
        这两幅 どちらも 両方 両者 二つ""",
    "the same": """差不多 基本一致 一致 相同 一样 相当 相似 相近 类似 接近 不相上下 同じ 同等 同程度 同じくらい
        変わらない 똑같습니다 똑같다 동일합니다 비슷합니다 几乎相同 几乎一样 大致相同 平局""",
    "no difference": """没有区别 没有差别 没有差异 没有明显区别 没有明显差别 没有明显差异 无明显差异 无明显区别
        没什么区别 几乎没有差别
        几乎没有区别 难以区分 难分高下 难分伯仲 不分上下
        差は見受けられません 差は見られません 差はありません 差がない 違いはない""",
    # comparing
    "better": "更出色 更为出色 好一点 好一些 好些 要好 更好 较好 更佳 更优 较佳 较优 更优秀 更胜一筹 更高质量 更为优秀",
    "best": "最好 最佳 最优",
    "beats": "优于 胜过 好于 强于 高于 胜于",
    "loses to": "低于 差于 逊于 逊色于",
    "wins": "胜出 获胜 赢",
    "higher": "更高 较高 最高",
    "sharper": "更清晰 更清楚 更为清晰 更加清晰 更锐利 较清晰 较为清晰 最清晰 更鲜明",
    "normal": "正常",
    "brighter": "更亮 更明亮 较亮",
    "richer": "更丰富 更鲜艳 更加鲜艳",
    "more": "更多 较多 更",
    "most": "最为 最 一番 最も 가장",
    "less": "更少 较少 更低",
    "it": "它",
    "now": "现在",
    "the main distortion": "最明显的失真 最主要的失真 主要失真 最显著的失真 最严重的失真 主要的失真",
    "none of these problems": """没有这些问题 没有此类问题 没有上述问题 无此问题 没有这个问题 不存在这些问题
        没有这种问题""",
    "the main problem": "最明显的问题 最主要的问题 主要问题 最严重的问题 最大的问题",
    "composition": "构图",
    "overexposure": "过度曝光 过曝 曝光过度 露出オーバー 露出過多 白飛び 高光溢出 高光过曝",
    "underexposure": "曝光不足 欠曝 露出不足 露出アンダー 黒つぶれ",
    "well exposed": "曝光正常 正常曝光 适正露出 適正露出 曝光准确 曝光适当 曝光合适 曝光得当 曝光良好 适度曝光",
    "motion blur": "运动模糊 拖影 动态模糊 モーションブラー 手ブレ 被写体ブレ 手抖",
    "compression artifacts": """压缩伪影 压缩失真 块效应 马赛克 方块效应 压缩痕迹 ブロックノイズ 圧縮ノイズ
        圧縮アーティファクト""",
    "out of focus": """失焦 虚焦 对焦不准 脱焦 虚的 没有对上焦 没对上焦 没有对焦 没对焦 ピンボケ
        ピントが合っていません ピントが合っていない ピントが合ってない ピントが外れて""",
    "too dark": "过暗 太暗 暗すぎ 暗すぎます 偏暗",
    "too bright": "过亮 太亮 明るすぎ 明るすぎます 偏亮",
    "dark": "昏暗 暗 暗い 暗く 어둡 어두워 어두운",
    "bright": "亮 明亮 明るい 明るく 밝은 밝습니다",
    "vivid": "鲜亮 饱满 鲜艳 鮮やか 艳丽 생생",
    "grayish": "发灰 灰暗",
    "dull": "暗淡 黯淡 くすんで くすみ くすんだ 色褪せ 灰蒙蒙 탁한",
    "vividness": "鮮やかさ 鲜艳度 鲜艳程度",
    "medium": "适中 中 中程度 中程 中间 보통",
    "clean": "干净 纯净 きれい 깨끗",
    "texture": "质感 纹理 質感 テクスチャ 질감",
    "scarce": "匮乏 贫乏 乏しい",
    "rich": "丰富 豊か 豊富",
    "appropriate": "合适 适当 恰当 恰到好处 适宜 得当 適切 ちょうどよい",
    "too high": "过高 太高 偏高",
    "too low": "过低 太低",
    "low": "低 较低 偏低 低い",
    "tonal range": "明暗层次 层次感 层次",
    "not very": "あまり",
    "worse": "更差 更糟 更糟糕 更模糊 较模糊 更暗 更劣 更加模糊",
    "more natural": "更自然 更加自然",
    "finer": "更细腻 更细致",
    # qualities
    "quality": "质量 画质 品质 图像质量 图片质量 视觉质量 视觉效果 整体质量 画質 品質 クオリティ 화질",
    "edges are": "边缘 轮廓",
    "sharpness": "清晰度 锐度 鮮明さ シャープさ 解像感 선명도",
    "focus": "对焦 焦点 合焦 ピント 焦距 초점",
    "in focus": "对上焦 对焦准确 对焦清晰 对焦正确 ピントが合っています ピントが合っている 合焦しています",
    "sufficient": "充足 充分 足够 十分です 十分な",
    "insufficient": "不充分 不充足 不够充足",
    "natural": "自然 自然です",
    "unnatural": "不自然",
    "subject": "主体 被写体 拍摄主体 主题",
    "saturation": "饱和度 彩度 채도",
    "color cast": "色偏 偏色 色かぶり",
    "detail": "细节 細部 ディテール",
    "color": "色彩 颜色 色",
    "contrast": "对比度",
    "brightness": "亮度",
    "exposure": "曝光",
    "lighting": "光线 光照 照明 采光 照明状况 明るさ",
    "noise": "噪点 噪声 噪音 ノイズ 颗粒感 颗粒 粒状感 ざらつき 노이즈",
    "distortion": "失真 歪み",
    "artifacts": "伪影 压缩痕迹",
    "blurry": "模糊 ぼやけ ぼけ 发虚 虚化 模糊不清 糊成一片 ぼけて ぼやけて 흐릿 흐림 흐리 흐립 흐려",
    "sharp": "清晰 清楚 鲜明 鮮明 锐利 清晰可见 清清楚楚 くっきり 鮮明です シャープ 선명 はっきり",
    "excellent": "优秀 极好 出色 非常好 优",
    "good": "좋습니다 良好 很好 好 不错",
    "fair": "一般 普通 中等 尚可 还行",
    "poor": "较差 差 很低 低劣 悪い",
    "bad": "糟糕 很差 极差 非常差",
    "rating": "评分 得分 分数 スコア 評価 点数 打分",
    # words that change nothing
    "image": "图片 图像 照片 画像 写真 图 이미지 사진 画面 整张图片 整张图 全图",
    "these": "这些",
    "high": "高",
    "yellowish": "偏黄 发黄",
    "greenish": "偏绿 发绿",
    "bluish": "偏蓝 发蓝",
    "level": "水平 级别 程度",
    "problems": "问题",
    "the": "那张 这张 该 这幅 一张 那幅",
    "": "입니다 이다 가 이 은 는 의 分 点 です だ 的 则 す 了 呢 吧 啊 の は が を に も ね よ その 这 那",
}

_ITEM_PATTERNS = [(re.compile(pattern), english) for english, pattern in _ITEMS.items()]
_ORDER_PATTERNS = [(re.compile(pattern), into) for pattern, into in _REORDERED.items()]
_ENGLISH = {phrase: f" {english} " for english, phrases in _WORDS.items() for phrase in phrases.split()}
_PHRASE = re.compile("|".join(sorted(map(re.escape, _ENGLISH), key=len, reverse=True)))


def in_english(text: str, keep: Mapping[str, str]) -> str:
    """The text with its Chinese and Japanese phrases in English, and wordings to `keep` as their marks."""
    if not _ANY_CJK.search(text):
        return text
    for wording, mark in sorted(keep.items(), key=lambda kept: len(kept[0]), reverse=True):
        text = _whole_word(wording).sub(f" {mark} ", text)
    for pattern, into in [*_ORDER_PATTERNS, *_ITEM_PATTERNS]:
        text = pattern.sub(into, text)
    text = _PHRASE.sub(lambda phrase: _ENGLISH[phrase[0]], _BORDER.sub(" ", text))
    return "\n".join(" ".join(line.split()) for line in text.split("\n"))


def marks_for(wordings: Iterable[str]) -> dict[str, str]:
    """For each Chinese or Japanese wording a private character that stands for it while its text is translated."""
    foreign = dict.fromkeys(wording for wording in wordings if _ANY_CJK.search(wording))
    return {wording: chr(_FIRST_MARK + place) for place, wording in enumerate(foreign)}


@lru_cache(maxsize=4096)
def _whole_word(wording: str) -> re.Pattern[str]:
    """Where a wording is a word and not part of one: "清晰" in "很清晰。", not in "清晰度"."""
    before = r"是为选此以:,.\s(不非没无"
    if len(wording) > 1:
        before += "很较更最太挺偏常微略点加的有得高于上像显度量彩线光体感面质图片色调はが"
    return re.compile(
        rf"(?:(?<=[{before}])|\A){re.escape(wording)}(?=[的了,.!;:)\s이가은는을를의로]|です|である|だ|と思|水平|级别|程度|\Z)"
    )
